package service

import (
	"os"
	"os/exec"
	"testing"
)

func TestServiceConforms(t *testing.T) {
	command := exec.Command("sh", "-c", `${SWAPCHECK:-swapcheck} test "$URL" --only 2.7`)
	command.Env = append(os.Environ(), "URL="+os.Getenv("SWAPCHECK_BASE_URL"))
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
}
