using System.Collections.Concurrent;
using System.Text;
using System.Text.Json;
using Broker.Client;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Streams;

/// <summary>
/// Consumers of the broker and of nats-server 2.15.1 send the same messages and statuses, in the same order, and tell
/// the same about themselves.
/// </summary>
public sealed class ConsumerAnswerTests
{
    private const string Accounts = """
        accounts {
          A {
            users [ { user: a, password: a } ], jetstream: enabled
            exports [ { service: '$JS.API.>' }, { service: '$KV.>' }, { stream: 'accI.>' } ]
          }
          I {
            users [ { user: i, password: i } ]
            imports [
              { service: { account: A, subject: '$JS.API.>' }, to: 'fromA.>' }
              { service: { account: A, subject: '$KV.>' }, to: 'fromA.$KV.>' }
              { stream: { account: A, subject: 'accI.>' } }
            ]
          }
        }
        """;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Requests_that_do_not_wait_get_the_messages_and_statuses_of_nats_server()
        => Assert.Equal(await PullAsync(StreamServer.Theirs), await PullAsync(StreamServer.Ours));

    [Fact]
    public async Task A_bucket_of_another_account_has_the_subjects_and_headers_of_nats_server()
        => Assert.Equal(await WatchAsync(StreamServer.Theirs), await WatchAsync(StreamServer.Ours));

    [Theory]
    [InlineData("explicit")]
    [InlineData("all")]
    [InlineData("none")]
    public async Task A_consumer_tells_when_it_was_active_as_nats_server_does(string acks)
        => Assert.Equal(await TellAsync(StreamServer.Theirs, acks), await TellAsync(StreamServer.Ours, acks));

    private static async Task<List<string>> PullAsync(string name)
    {
        await using StreamServer server = await StreamServer.StartAsync(name);
        await using var site = new Site(await ConnectAsync(server.Url));
        await site.AskAsync("$JS.API.STREAM.CREATE.S", """{"name":"S","subjects":["s"]}""");

        // More messages than may wait for acknowledgements: the requests wait for these.
        await site.BeginAsync(17, 10);
        await site.PullAsync("first", """{"batch":20,"no_wait":true}""", 10);
        await site.PullAsync("pending", """{"batch":5,"no_wait":true}""", 11);
        await site.PullAsync("waits", """{"batch":5,"expires":60000000000}""", 11);
        await site.AcknowledgeAsync(3, 14);
        await site.AcknowledgeAsync(7, 19);
        await site.AcknowledgeAsync(7, 19);

        // Each request that does not wait takes messages from the next ones.
        await site.BeginAsync(17, 10);
        await site.PullAsync("first", """{"batch":10,"no_wait":true}""", 10);
        await site.PullAsync("five", """{"batch":5,"no_wait":true}""", 10);
        await site.PullAsync("five more", """{"batch":5,"no_wait":true}""", 10);
        await site.PullAsync("two", """{"batch":2,"no_wait":true}""", 11);
        await site.AcknowledgeAsync(7, 18);

        // All messages wait for acknowledgements.
        await site.BeginAsync(10, 10);
        await site.PullAsync("first", """{"batch":20,"no_wait":true}""", 10);
        await site.PullAsync("nothing", """{"batch":5,"no_wait":true}""", 11);
        await site.AcknowledgeAsync(1, 12);

        // The messages end before the request.
        await site.BeginAsync(4, 10);
        await site.PullAsync("four", """{"batch":20,"no_wait":true}""", 5);
        await site.BeginAsync(4, 10);
        await site.PullAsync("expires", """{"batch":20,"no_wait":true,"expires":60000000000}""", 5);
        return site.InOrder();
    }

    private static async Task<List<string>> WatchAsync(string name)
    {
        await using StreamServer server = await StreamServer.StartAsync(name, Accounts);
        await using BrokerConnection owner = await ConnectAsync(server.Url, "a");
        await using var site = new Site(await ConnectAsync(server.Url, "i"));
        await owner.RequestAsync("$JS.API.STREAM.CREATE.KV_M", """{"name":"KV_M","subjects":["$KV.M.>"]}"""u8.ToArray(), Wait.Limit, cancellationToken: Ended);
        site.Listen("accI.w", "watch");
        await site.AskAsync("fromA.CONSUMER.CREATE.KV_M", """{"stream_name":"KV_M","config":{"deliver_subject":"accI.w","ack_policy":"none"}}""");
        await site.AskAsync("fromA.$KV.M.a", "one");
        await site.AskAsync("fromA.$KV.M.b", "two", "Mine: 1");
        await Wait.UntilAsync(() => site.Seen.Count == 2);
        await site.AskAsync("fromA.$KV.M.c", "three");
        await Wait.UntilAsync(() => site.Seen.Count == 3);
        return [.. site.Seen];
    }

    private static async Task<List<string>> TellAsync(string name, string acks)
    {
        await using StreamServer server = await StreamServer.StartAsync(name);
        await using var site = new Site(await ConnectAsync(server.Url));
        await site.AskAsync("$JS.API.STREAM.CREATE.S", """{"name":"S","subjects":["s"]}""");
        await site.BeginAsync(10, 5, acks);
        List<string> told = [await site.TellAsync("new")];
        await site.PullAsync("one", "1", 1);
        told.Add(await site.TellAsync("delivered"));
        if (acks == "none")
        {
            return told;
        }

        await site.SendAsync("+WPI", last: 1);
        told.Add(await site.TellAsync("in progress"));
        await site.SendAsync("-NAK {\"delay\":1000000}", last: 1);
        told.Add(await site.TellAsync("refused"));
        await site.PullAsync("again", "1", 2);
        told.Add(await site.TellAsync("delivered again"));
        await site.SendAsync("+TERM", last: 1);
        told.Add(await site.TellAsync("terminated"));
        await site.PullAsync("two", "2", 4);
        await site.SendAsync("+ACK", last: 1);
        told.Add(await site.TellAsync("second acknowledged"));
        await site.SendAsync("+ACK", last: 1);
        told.Add(await site.TellAsync("second acknowledged twice"));
        await site.SendAsync("+ACK", last: 2);
        told.Add(await site.TellAsync("first acknowledged"));
        return told;
    }

    private static async Task<BrokerConnection> ConnectAsync(string url, string? user = null) => await BrokerConnection.ConnectAsync(
        new ClientOptions { Servers = [url], ConnectTimeout = Wait.Limit, User = user, Password = user }, Ended);

    private sealed class Site(BrokerConnection connection) : IAsyncDisposable
    {
        private readonly ConcurrentQueue<string> _replies = [];
        private readonly List<IAsyncDisposable> _bindings = [];
        private (string? Delivered, string? Acknowledged) _active;
        private int _acknowledged;
        private int _start;
        private int _round;

        public ConcurrentQueue<string> Seen { get; } = [];

        /// <summary>The messages that each request received. Only the order of one subscription is certain.</summary>
        public List<string> InOrder() => [.. Seen.OrderBy(static seen => seen[..seen.IndexOf(':', StringComparison.Ordinal)], StringComparer.Ordinal)];

        public void Listen(string subject, string label) => _bindings.Add(connection.Subscribe(subject, (Client.Message message) =>
        {
            string headers = Encoding.UTF8.GetString(message.Headers.Span).ReplaceLineEndings("|");
            if (message.ReplyTo is { } reply)
            {
                _replies.Enqueue(reply);
            }

            Seen.Enqueue($"round {_round}, {label}: {(message.ReplyTo is null ? "" : message.Subject)} {headers} {Encoding.UTF8.GetString(message.Body.Span)}");
        }));

        public async Task<JsonElement> AskAsync(string subject, string body, string header = "")
        {
            byte[] headers = header.Length == 0 ? [] : Encoding.UTF8.GetBytes($"NATS/1.0\r\n{header}\r\n\r\n");
            Client.Message answer = await connection.RequestAsync(subject, Encoding.UTF8.GetBytes(body), Wait.Limit, headers, Ended);
            using var document = JsonDocument.Parse(answer.Body);
            Assert.False(document.RootElement.TryGetProperty("error", out JsonElement error), $"{subject}: {error}");
            return document.RootElement.Clone();
        }

        /// <summary>Begins with a new consumer and some messages.</summary>
        public async Task BeginAsync(int messages, int maxPending, string acks = "explicit")
        {
            if (_round++ > 0)
            {
                await EndAsync();
                await AskAsync("$JS.API.CONSUMER.DELETE.S.C", "");
                await AskAsync("$JS.API.STREAM.PURGE.S", "");
            }

            _replies.Clear();
            _acknowledged = 0;
            _start = Seen.Count;
            await AskAsync("$JS.API.CONSUMER.CREATE.S.C", $$$"""{"stream_name":"S","config":{"durable_name":"C","ack_policy":"{{{acks}}}"{{{(acks == "none" ? "" : $",\"max_ack_pending\":{maxPending}")}}}}}""");
            for (int i = 1; i <= messages; i++)
            {
                await AskAsync("s", $"{i}");
            }
        }

        /// <summary>Requests messages, and waits until so many messages and statuses have come in this round.</summary>
        public async Task PullAsync(string label, string body, int seen)
        {
            string inbox = BrokerConnection.NewInbox("t");
            Listen(inbox, label);
            await connection.PublishAsync("$JS.API.CONSUMER.MSG.NEXT.S.C", body, inbox, cancellationToken: Ended);
            await UntilAsync(seen);
        }

        /// <summary>
        /// Acknowledges the next messages, and waits until so many messages and statuses have come in this round.
        /// </summary>
        public async Task AcknowledgeAsync(int count, int seen)
        {
            foreach (string reply in _replies.Skip(_acknowledged).Take(count))
            {
                await connection.PublishAsync(reply, "+ACK", cancellationToken: Ended);
                _acknowledged++;
            }

            await UntilAsync(seen);
        }

        /// <summary>Answers one of the last messages, and waits for the confirmation.</summary>
        public async Task SendAsync(string acknowledgement, int last)
            => await connection.RequestAsync(_replies.Reverse().ElementAt(last - 1), Encoding.UTF8.GetBytes(acknowledgement), Wait.Limit, cancellationToken: Ended);

        /// <summary>
        /// The activity that the consumer reports: whether there was one, and whether it is a new one.
        /// </summary>
        public async Task<string> TellAsync(string label)
        {
            JsonElement info = await AskAsync("$JS.API.CONSUMER.INFO.S.C", "");
            (string?, string?) before = _active;
            _active = (ActiveOf(info.GetProperty("delivered")), ActiveOf(info.GetProperty("ack_floor")));
            return $"{label}: delivered {Form(before.Item1, _active.Delivered)}, acknowledged {Form(before.Item2, _active.Acknowledged)}";
        }

        public async ValueTask DisposeAsync()
        {
            await EndAsync();
            await connection.DisposeAsync();
        }

        private async Task EndAsync()
        {
            foreach (IAsyncDisposable binding in _bindings)
            {
                await binding.DisposeAsync();
            }

            _bindings.Clear();
        }

        private async Task UntilAsync(int seen)
        {
            // A request without an answer of its own has reached the consumer when the server answers a later one.
            await AskAsync("$JS.API.CONSUMER.INFO.S.C", "");
            await Wait.UntilAsync(() => Seen.Count - _start >= seen, () => $"waited in vain for {seen} messages and statuses; there are:\n{string.Join('\n', Seen)}");
        }

        private static string? ActiveOf(JsonElement pair) => pair.TryGetProperty("last_active", out JsonElement time) ? time.GetString() : null;

        private static string Form(string? before, string? now) => now is null ? "never" : now == before ? "as before" : "now";
    }
}
