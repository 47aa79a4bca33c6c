using System.Text;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>
/// How an egress of a stream handles repeated deliveries: it drops them, or counts them if another egress may have
/// delivered them.
/// </summary>
public sealed class StreamEgressTests
{
    private readonly StreamEgress<SimulatedNats.Wire, Push> _egress;
    private readonly List<string> _taken = [];
    private readonly SimulatedNats.Participant _participant;
    private int _malformed;

    public StreamEgressTests()
    {
        _participant = new SimulatedNats(0).Join("egress");
        _egress = new StreamEgress<SimulatedNats.Wire, Push>(
            "next", "inbox", 10, _participant.Wire, new Push(_taken), new PipelineMemoryPool(), new PipelineLimits { Window = 16, WindowBytes = 1 << 20, MostSilentTicks = 10 });
        _egress.OnMalformed = () => _malformed++;
        _egress.IsReady = true;
        _egress.Open();
    }

    [Fact]
    public void A_delivered_message_is_dropped_when_it_arrives_again()
    {
        Deliver("a", delivered: 1, sequence: 1, stored: 100);
        Deliver("a", delivered: 2, sequence: 1, stored: 100);
        Deliver("a", delivered: 1, sequence: 1, stored: 100);

        Assert.Equal(["a"], _taken);
        Assert.Equal((2, 0), (_egress.Counters.DuplicatesDropped, _egress.Counters.PossibleDuplicates));
    }

    [Fact]
    public void A_message_delivered_to_another_egress_is_a_possible_duplicate_even_if_a_killed_server_forgot_that()
    {
        Deliver("c", delivered: 1, sequence: 3, stored: 300);
        Deliver("a", delivered: 2, sequence: 1, stored: 100);
        Deliver("b", delivered: 1, sequence: 2, stored: 200);
        Deliver("d", delivered: 1, sequence: 4, stored: 300);

        Assert.Equal(["c", "a", "b", "d"], _taken);
        Assert.Equal(2, _egress.Counters.PossibleDuplicates);
    }

    [Fact]
    public void A_message_that_an_ingress_published_again_counts_as_a_possible_duplicate()
    {
        Deliver("a", delivered: 1, sequence: 1, stored: 100);
        Deliver("b", delivered: 1, sequence: 2, stored: 200, "NATS/1.0\r\nNats-Msg-Id: i-2\r\nZmq-Moved: 1\r\n\r\n");
        Deliver("b", delivered: 2, sequence: 2, stored: 200, "NATS/1.0\r\nNats-Msg-Id: i-2\r\nZmq-Moved: 1\r\n\r\n");

        Assert.Equal(["a", "b"], _taken);
        Assert.Equal((1, 1), (_egress.Counters.PossibleDuplicates, _egress.Counters.DuplicatesDropped));
    }

    [Fact]
    public void A_recreated_stream_has_new_messages_with_old_numbers()
    {
        Deliver("a", delivered: 1, sequence: 1, stored: 100);
        Deliver("b", delivered: 1, sequence: 2, stored: 200);
        Deliver("new a", delivered: 1, sequence: 1, stored: 300);
        Deliver("new b", delivered: 1, sequence: 2, stored: 400);

        Assert.Equal(["a", "b", "new a", "new b"], _taken);
        Assert.Equal((0, 0), (_egress.Counters.DuplicatesDropped, _egress.Counters.PossibleDuplicates));
    }

    // A PUB/SUB route writes this header into each message of one frame, and so does a pipeline with credits.
    [Fact]
    public void A_message_with_a_frame_count_of_one_is_the_whole_body()
    {
        Deliver("a", delivered: 1, sequence: 1, stored: 100, "NATS/1.0\r\nZmq-Frames: 1\r\n\r\n");

        Assert.Equal(["a"], _taken);
        Assert.Equal((0, 0), (_egress.Counters.Refused, _malformed));
    }

    [Fact]
    public void Messages_with_wrong_frame_lengths_are_acknowledged_counted_and_logged()
    {
        Deliver("abc", delivered: 1, sequence: 1, stored: 100, "NATS/1.0\r\nZmq-Frames: 2\r\n\r\n");
        Deliver("", delivered: 1, sequence: 2, stored: 200, "NATS/1.0\r\nZmq-Frames: x\r\n\r\n");

        Assert.Empty(_taken);
        Assert.Equal((2, 2), (_egress.Counters.Refused, _malformed));
        Assert.Equal(2, _participant.Sent.Count(sent => Encoding.ASCII.GetString(sent.Body) == "+ACK"));
    }

    [Fact]
    public void A_request_expires_after_five_seconds_and_the_next_is_made_at_once()
    {
        Assert.Equal("""inbox.1 {"batch":16,"max_bytes":1056768,"expires":5000000000}""", Assert.Single(Requests()));

        End("inbox.1", 408);

        Assert.StartsWith("inbox.2 ", Requests()[^1], StringComparison.Ordinal);
    }

    [Fact]
    public void A_pull_request_that_ends_by_bytes_is_followed_at_once_if_it_delivered_messages()
    {
        Deliver("a", delivered: 1, sequence: 1, stored: 100);
        End("inbox.1", 409);
        Assert.StartsWith("inbox.2 ", Requests()[^1], StringComparison.Ordinal);

        End("inbox.2", 409);
        Assert.Equal(2, Requests().Count);
        Tick(1);
        Assert.StartsWith("inbox.3 ", Requests()[^1], StringComparison.Ordinal);
    }

    [Fact]
    public void A_pull_request_is_repeated_after_ten_ticks_without_a_message_or_status()
    {
        Tick(9);
        Deliver("a", delivered: 1, sequence: 1, stored: 100);
        Tick(10);
        Assert.Single(Requests());

        Tick(1);
        Assert.False(_egress.IsReady);
        FindConsumer();
        Assert.StartsWith("inbox.2 ", Requests()[^1], StringComparison.Ordinal);
    }

    // nats-server ends a request without a status if it cannot deliver for a moment. The answers to the consumer waker
    // are messages too.
    [Fact]
    public void A_pull_request_without_an_end_is_repeated_after_twenty_ticks_although_single_messages_arrive()
    {
        for (int i = 1; i <= 10; i++)
        {
            Tick(2);
            Assert.Single(Requests());
            Deliver("a", delivered: 1, sequence: i, stored: 100);
        }

        Tick(1);
        Assert.True(_egress.IsReady);
        Assert.StartsWith("inbox.2 ", Requests()[^1], StringComparison.Ordinal);
    }

    [Fact]
    public void A_new_connection_uses_another_inbox_and_ignores_the_end_of_an_older_request()
    {
        _egress.OnConnected("other");
        End("inbox.1", 408);
        End("other.1", 408);

        Assert.Equal(2, Requests().Count);
        Assert.StartsWith("other.2 ", Requests()[^1], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("409 Consumer Deleted")]
    [InlineData("503")]
    public void A_missing_consumer_is_looked_up_before_the_next_request(string status)
    {
        Deliver("a", delivered: 1, sequence: 1, stored: 100);
        End("inbox.1", status);
        Tick(1);
        Assert.False(_egress.IsReady);
        Assert.Single(Requests());

        FindConsumer();
        Assert.StartsWith("inbox.2 ", Requests()[^1], StringComparison.Ordinal);
    }

    private void FindConsumer()
    {
        _egress.IsReady = true;
        _egress.OnConnected("inbox");
    }

    private List<string> Requests()
        => [.. _participant.Asked.Where(asked => char.IsAsciiDigit(asked.ReplyTo[^1])).Select(asked => $"{asked.ReplyTo} {asked.Body}")];

    private void Tick(int times)
    {
        for (; times > 0; times--)
        {
            _egress.Tick();
        }
    }

    private void End(string inbox, int status) => End(inbox, $"{status}");

    private void End(string inbox, string status)
        => _egress.OnMessage(Encoding.ASCII.GetBytes(inbox), default, Encoding.ASCII.GetBytes($"NATS/1.0 {status}\r\n\r\n"), default);

    private void Deliver(string body, int delivered, int sequence, int stored, string headers = "") => _egress.OnMessage(
        "inbox.1"u8, Encoding.ASCII.GetBytes($"$JS.ACK.S.C.{delivered}.{sequence}.{sequence}.{stored}.0"), Encoding.ASCII.GetBytes(headers), Encoding.ASCII.GetBytes(body));

    internal readonly struct Push(List<string> taken) : IPipelineSink
    {
        public bool TryTake(ReadOnlySpan<byte> body, int frames)
        {
            taken.Add(Encoding.ASCII.GetString(body));
            return true;
        }
    }
}
