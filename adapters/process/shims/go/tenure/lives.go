package tenure

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

const (
	pidOnly   = 1 // P_PID
	stillWait = syscall.WNOHANG | syscall.WEXITED | syscall.WNOWAIT
)

// Starts lives of this program, as it is asked to on the socket (docs/node-protocol.md, "Faster lives"). Each is the
// same file from its beginning: it has been compiled, and starts as quickly as a copy would. Ends the process when
// nobody asks any more.
func serveLives(name string, socket int) {
	runtime.LockOSThread() // a life dies with the thread that has started it
	syscall.CloseOnExec(socket)
	for {
		request := make([]byte, 64)
		control := make([]byte, syscall.CmsgSpace(3*4))
		count, ancillary, _, _, err := syscall.Recvmsg(socket, request, control, syscall.MSG_CMSG_CLOEXEC)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || count == 0 {
			os.Exit(0)
		}
		words := strings.Fields(string(request[:count]))
		var number int
		if words[0] == "end" {
			number = endLife(atoi(words[1]), atoi(words[2]))
		} else {
			number = startLife(name, descriptors(control[:ancillary]))
		}
		_, err = syscall.Write(socket, []byte(strconv.Itoa(number)))
		must(err)
	}
}

func descriptors(control []byte) []int {
	messages, err := syscall.ParseSocketControlMessage(control)
	must(err)
	fds, err := syscall.ParseUnixRights(&messages[0])
	must(err)
	return fds
}

func startLife(name string, fds []int) int {
	files := []uintptr{uintptr(fds[0]), uintptr(fds[1]), uintptr(fds[2])}
	process, err := syscall.ForkExec("/proc/self/exe", []string{name}, &syscall.ProcAttr{
		Env: []string{"TZ="}, Files: files, Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	must(err)
	for _, fd := range fds {
		must(syscall.Close(fd))
	}
	return process
}

// Ends a life, and its group: its exit status, or minus the signal.
func endLife(process, graceMs int) int {
	for waited := 0; waited < graceMs && !hasEnded(process); waited++ {
		pause := syscall.NsecToTimespec(int64(time.Millisecond))
		_ = syscall.Nanosleep(&pause, nil)
	}
	_ = syscall.Kill(-process, syscall.SIGKILL)
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(process, &status, 0, nil)
		if err == syscall.EINTR {
			continue
		}
		must(err)
		break
	}
	if status.Signaled() {
		return -int(status.Signal())
	}
	return status.ExitStatus()
}

// It is left a zombie for now, so that its number stays its own, and its group's.
func hasEnded(process int) bool {
	var info [128]byte // siginfo_t; its third word, at byte 12, is the process's number
	_, _, errno := syscall.Syscall6(
		syscall.SYS_WAITID, pidOnly, uintptr(process), uintptr(unsafe.Pointer(&info)), stillWait, 0, 0)
	return errno == 0 && info[12]|info[13]|info[14]|info[15] != 0
}

func atoi(text string) int {
	number, err := strconv.Atoi(text)
	if err != nil {
		panic(fmt.Sprintf("not a request of the node protocol: %v", err))
	}
	return number
}
