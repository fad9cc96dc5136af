// Slots by robfig/cron. A line in: zone|from|count|expression. A line out: instants in seconds since the epoch, or `never`.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron"
)

func main() {
	parser := cron.NewParser(cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		parts := strings.SplitN(lines.Text(), "|", 4)
		from, _ := strconv.ParseInt(parts[1], 10, 64)
		count, _ := strconv.Atoi(parts[2])
		schedule, err := parser.Parse("CRON_TZ=" + parts[0] + " " + parts[3])
		if err != nil {
			fmt.Println("refused", err)
			continue
		}
		location, _ := time.LoadLocation(parts[0])
		at := time.Unix(from, 0).In(location)
		found := []string{}
		for len(found) < count {
			at = schedule.Next(at)
			if at.IsZero() {
				found = append(found, "never")
				break
			}
			found = append(found, strconv.FormatInt(at.Unix(), 10))
		}
		fmt.Println(strings.Join(found, " "))
	}
}
