// Verifies checkpoints and proofs of a transparency log with the packages of the Go checksum database, and nothing of this project.
//
//	verify KEY CHECKPOINT LEAF INDEX HASHES                    inclusion; LEAF is the leaf's bytes in hexadecimal, HASHES a file with one base64 hash a line
//	verify KEY CHECKPOINT EARLIER HASHES                       consistency of two checkpoints
//	verify KEY CHECKPOINT tiles URL INDEX LEAF                 inclusion, proven from tiles that it reads itself
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func check(err error) {
	if err != nil {
		fmt.Println("rejected:", err)
		os.Exit(1)
	}
}

// open verifies a signed note and reads size and root from its text.
func open(key, file string) (int64, tlog.Hash) {
	verifier, err := note.NewVerifier(key)
	check(err)
	content, err := os.ReadFile(file)
	check(err)
	signed, err := note.Open(content, note.VerifierList(verifier))
	check(err)
	lines := strings.Split(signed.Text, "\n")
	if len(lines) < 4 || lines[0] != verifier.Name() {
		check(fmt.Errorf("not a checkpoint of %s", verifier.Name()))
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err)
	root, err := tlog.ParseHash(lines[2])
	check(err)
	return size, root
}

func hashes(file string) []tlog.Hash {
	content, err := os.Open(file)
	check(err)
	var all []tlog.Hash
	for lines := bufio.NewScanner(content); lines.Scan(); {
		hash, err := tlog.ParseHash(lines.Text())
		check(err)
		all = append(all, hash)
	}
	return all
}

func leafHash(text string) tlog.Hash {
	data, err := hex.DecodeString(text)
	check(err)
	return tlog.RecordHash(data)
}

// reader reads tiles over HTTP. The paths of the Go checksum database contain the height of a tile; those of C2SP tlog-tiles do not.
type reader struct{ url string }

func (reader) Height() int { return 8 }

func (r reader) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range tiles {
		response, err := http.Get(r.url + strings.TrimPrefix(tile.Path(), "tile/8/"))
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != 200 {
			return nil, fmt.Errorf("%s: status %d %v", tile.Path(), response.StatusCode, err)
		}
		all = append(all, content)
	}
	return all, nil
}

func (reader) SaveTiles([]tlog.Tile, [][]byte) {}

func main() {
	words := os.Args[1:]
	size, root := open(words[0], words[1])
	switch {
	case words[2] == "tiles":
		index, err := strconv.ParseInt(words[4], 10, 64)
		check(err)
		tree := tlog.Tree{N: size, Hash: root}
		proof, err := tlog.ProveRecord(size, index, tlog.TileHashReader(tree, reader{words[3]}))
		check(err)
		check(tlog.CheckRecord(proof, size, root, index, leafHash(words[5])))
	case len(words) == 5:
		index, err := strconv.ParseInt(words[3], 10, 64)
		check(err)
		check(tlog.CheckRecord(tlog.RecordProof(hashes(words[4])), size, root, index, leafHash(words[2])))
	default:
		earlier, earlierRoot := open(words[0], words[2])
		check(tlog.CheckTree(tlog.TreeProof(hashes(words[3])), size, root, earlier, earlierRoot))
	}
	fmt.Println("verified", size, base64.StdEncoding.EncodeToString(root[:]))
}
