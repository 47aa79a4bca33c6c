// A session of the reference client, driven by lines: see ../README.md.
package main

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

type subscription struct {
	*nats.Subscription
	reported chan struct{}
}

var (
	output        sync.Mutex
	connection    *nats.Conn
	subscriptions = map[string]subscription{}
	reports       sync.WaitGroup
)

func say(words ...string) {
	output.Lock()
	defer output.Unlock()
	fmt.Println(strings.Join(words, " "))
}

func toHex(data []byte) string {
	if len(data) == 0 {
		return "-"
	}
	return hex.EncodeToString(data)
}

func fromHex(word string) string {
	if word == "-" {
		return ""
	}
	data, err := hex.DecodeString(word)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func options(given map[string]string) ([]nats.Option, error) {
	all := []nats.Option{
		nats.Timeout(60 * time.Second), nats.DontRandomize(), nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond), nats.ReconnectJitter(0, 0),
		nats.DisconnectErrHandler(func(*nats.Conn, error) { say("EVENT disconnected") }),
		nats.ReconnectHandler(func(c *nats.Conn) { say("EVENT reconnected", c.ConnectedAddr()) }),
		nats.LameDuckModeHandler(func(*nats.Conn) { say("EVENT lameduck") }),
		nats.DiscoveredServersHandler(func(c *nats.Conn) { say("EVENT discovered", strings.Join(c.DiscoveredServers(), ",")) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { say("EVENT error", err.Error()) }),
		nats.ClosedHandler(func(c *nats.Conn) {
			reason := ""
			if err := c.LastError(); err != nil {
				reason = err.Error()
			}
			reports.Wait()
			say("EVENT closed", reason)
		}),
	}
	if given["user"] != "" {
		all = append(all, nats.UserInfo(given["user"], given["pass"]))
	}
	if given["token"] != "" {
		all = append(all, nats.Token(given["token"]))
	}
	if given["nkey"] != "" {
		pair, err := nkeys.FromSeed([]byte(given["nkey"]))
		if err != nil {
			return nil, err
		}
		all = append(all, nats.Nkey(given["public"], func(nonce []byte) ([]byte, error) {
			delay, _ := strconv.Atoi(given["sign_after"])
			time.Sleep(time.Duration(delay) * time.Millisecond)
			return pair.Sign(nonce)
		}))
	}
	if given["ca"] != "" {
		all = append(all, nats.RootCAs(given["ca"]))
	}
	if given["cert"] != "" {
		all = append(all, nats.ClientCert(given["cert"], given["key"]))
	}
	if given["echo"] == "no" {
		all = append(all, nats.NoEcho())
	}
	return append(all, func(o *nats.Options) error {
		o.AllowReconnect = given["reconnect"] != "no"
		o.Verbose = given["verbose"] == "yes"
		o.Pedantic = given["pedantic"] == "yes"
		return nil
	}), nil
}

func subscribe(id, subject, queue string, answers int) error {
	source, err := connection.QueueSubscribeSync(subject, queue)
	if err != nil {
		return err
	}
	reported := make(chan struct{})
	subscriptions[id] = subscription{source, reported}
	reports.Add(1)
	go func() {
		defer reports.Done()
		defer close(reported)
		report(id, source, answers)
	}()
	return connection.Flush()
}

func report(id string, source *nats.Subscription, answers int) {
	for {
		message, err := source.NextMsg(time.Hour)
		if errors.Is(err, nats.ErrNoResponders) {
			say("MSG", id, toHex([]byte(source.Subject)), toHex(nil), toHex([]byte("Status: 503")))
			continue
		}
		if err != nil {
			return
		}
		words := []string{"MSG", id, toHex([]byte(message.Subject)), toHex(message.Data)}
		for name, values := range message.Header {
			for _, value := range values {
				words = append(words, toHex([]byte(name+": "+value)))
			}
		}
		say(words...)
		for i := 0; i < answers; i++ {
			_ = message.Respond(message.Data)
		}
	}
}

func milliseconds(word string) time.Duration {
	n, _ := strconv.Atoi(word)
	return time.Duration(n) * time.Millisecond
}

// The library of this version has no request with many replies: this is how its users write it.
func requestMany(subject, payload string, count int, wait time.Duration) ([]string, error) {
	inbox := nats.NewInbox()
	subscription, err := connection.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer func() { _ = subscription.Unsubscribe() }()
	if err := connection.PublishRequest(subject, inbox, []byte(payload)); err != nil {
		return nil, err
	}
	replies := []string{}
	for len(replies) < count {
		reply, err := subscription.NextMsg(wait)
		if errors.Is(err, nats.ErrTimeout) {
			break
		}
		if err != nil {
			return nil, err
		}
		replies = append(replies, toHex(reply.Data))
	}
	return replies, nil
}

func run(command string, words []string) ([]string, error) {
	switch command {
	case "sub":
		return nil, subscribe(words[0], words[1], strings.Join(words[2:], ""), 0)
	case "respond":
		answers, _ := strconv.Atoi(words[2])
		return nil, subscribe(words[0], words[1], "", answers)
	case "unsub":
		max, _ := strconv.Atoi(strings.Join(words[1:], ""))
		if err := subscriptions[words[0]].AutoUnsubscribe(max); err != nil {
			return nil, err
		}
		return nil, connection.Flush()
	case "pub":
		message := nats.NewMsg(words[0])
		message.Data = []byte(words[1])
		for _, line := range words[2:] {
			name, value, _ := strings.Cut(line, ": ")
			message.Header.Add(name, value)
		}
		return nil, connection.PublishMsg(message)
	case "ask":
		return nil, connection.PublishRequest(words[0], words[1], []byte(words[2]))
	case "burst":
		count, _ := strconv.Atoi(words[1])
		for i := 0; i < count; i++ {
			if err := connection.Publish(words[0], []byte(strconv.Itoa(i))); err != nil {
				return nil, err
			}
		}
		return nil, nil
	case "request":
		reply, err := connection.Request(words[0], []byte(words[1]), milliseconds(words[2]))
		if err != nil {
			return nil, err
		}
		return []string{toHex(reply.Data)}, nil
	case "many":
		count, _ := strconv.Atoi(words[2])
		return requestMany(words[0], words[1], count, milliseconds(words[3]))
	case "flush":
		return nil, connection.Flush()
	case "rtt":
		_, err := connection.RTT()
		return nil, err
	case "drain":
		if len(words) == 0 {
			return nil, connection.Drain()
		}
		subscription := subscriptions[words[0]]
		if err := subscription.Drain(); err != nil {
			return nil, err
		}
		<-subscription.reported
		return nil, nil
	}
	return nil, errors.New("no such command")
}

func main() {
	given := map[string]string{}
	for _, word := range os.Args[2:] {
		name, value, _ := strings.Cut(word, "=")
		given[name] = value
	}
	all, err := options(given)
	if err == nil {
		connection, err = nats.Connect(os.Args[1], all...)
	}
	if err == nil {
		err = connection.Flush()
	}
	if err != nil {
		say("FAILED", err.Error())
		return
	}
	say("READY")

	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadString('\n')
		if err != nil {
			return
		}
		words := strings.Split(strings.TrimSpace(line), " ")
		for i := range words[1:] {
			words[i+1] = fromHex(words[i+1])
		}
		if results, err := run(words[0], words[1:]); err != nil {
			say("ERR", err.Error())
		} else {
			say(append([]string{"OK"}, results...)...)
		}
	}
}
