using System.Globalization;
using System.Text;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>
/// What an ingress publishes to a stream: unconfirmed messages again, with a mark if the stream may already have stored
/// them.
/// </summary>
public sealed class StreamIngressTests
{
    private const int MostBytes = 1000;
    private const int MoreTicksThanItWaits = 7;

    private readonly SimulatedNats _nats = new(0);
    private readonly SimulatedNats.Participant _participant;
    private readonly StreamIngress<SimulatedNats.Wire> _ingress;

    public StreamIngressTests()
    {
        _participant = _nats.Join("ingress");
        _ingress = new StreamIngress<SimulatedNats.Wire>(
            "work", "i", "WORK", "inbox", _participant.Wire, new PipelineMemoryPool(), new PipelineLimits { Window = 4, WindowBytes = 1 << 20 })
        {
            IsReady = true,
            MostBytes = MostBytes,
        };
    }

    [Fact]
    public void What_is_published_for_the_first_time_has_no_mark()
    {
        Accept("a", "b");

        Assert.Equal(["a 1", "b 2"], Published());
    }

    [Fact]
    public void What_was_on_its_way_to_a_lost_server_is_published_again_with_a_mark()
    {
        Accept("a", "b");
        Answer(1, Stored);
        _nats.Lose();
        _nats.Recover();
        _ingress.OnConnected();
        Accept("c");

        Assert.Equal(["b 2 moved", "c 3"], Published());
        Assert.Equal(1, _ingress.Counters.Resent);
    }

    [Fact]
    public void What_has_no_answer_for_long_is_published_again_with_a_mark()
    {
        Accept("a");
        Published();
        for (int i = 0; i < MoreTicksThanItWaits; i++)
        {
            _ingress.Tick();
        }

        Assert.Equal(["a 1 moved"], Published());
    }

    // A link of a leaf node may lose a single message.
    [Fact]
    public void What_has_no_answer_for_long_is_published_again_although_later_messages_are_answered()
    {
        Accept("a");
        for (int number = 2; number <= 4; number++)
        {
            Accept("later");
            Answer(number, Stored);
            _ingress.Tick();
            _ingress.Tick();
        }

        Assert.Equal(["a 1", "later 2", "later 3", "later 4", "a 1 moved"], Published());
    }

    [Fact]
    public void What_the_stream_refused_is_published_again_without_a_mark()
    {
        Accept("a");
        Published();
        Answer(1, Refused);
        _ingress.Tick();
        Assert.Equal(["a 1"], Published());
        Answer(1, Refused);
        _ingress.Tick();
        Assert.Equal(["a 1"], Published());
    }

    [Fact]
    public void The_moved_mark_stays_when_the_second_publish_is_refused()
    {
        Accept("a");
        _ingress.OnConnected();
        Answer(1, Refused);
        Published();
        _ingress.Tick();

        Assert.Equal(["a 1 moved"], Published());
    }

    [Fact]
    public void A_message_that_the_connection_refused_is_sent_later_without_a_mark()
    {
        _participant.IsFull = true;
        Accept("a");
        _participant.IsFull = false;
        _ingress.OnConnected();

        Assert.Equal(["a 1"], Published());
    }

    [Fact]
    public void A_number_that_is_used_again_for_the_place_of_a_marked_one_has_no_mark()
    {
        Accept("a");
        _ingress.OnConnected();
        Answer(1, Stored);
        Published();
        Accept("b", "c", "d", "e");

        Assert.Equal(["b 2", "c 3", "d 4", "e 5"], Published());
    }

    [Fact]
    public void A_message_that_the_stream_can_never_store_is_given_up_and_does_not_block_others()
    {
        Accept("a", "b");
        Answer(1, """{"error":{"code":400,"err_code":10054,"description":"message size exceeds maximum allowed"},"stream":"WORK","seq":0}""");
        Answer(2, Stored);
        Accept("c");

        Assert.Equal(["a 1", "b 2", "c 3"], Published());
        Assert.Equal((1, 1), (_ingress.Counters.GivenUp, _ingress.Counters.InFlight));
    }

    [Fact]
    public void A_message_larger_than_all_that_the_stream_may_hold_is_refused_and_counted()
    {
        Assert.True(_ingress.TryAccept(new byte[MostBytes], 1));

        Assert.Empty(Published());
        Assert.Equal((1, 0), (_ingress.Counters.Refused, _ingress.Counters.Accepted));
    }

    [Theory]
    [InlineData("error")]
    [InlineData("duplicate")]
    public void A_stream_of_any_name_stores(string name)
    {
        Accept("a");
        Answer(1, $$"""{"stream":"{{name}}", "seq":1}""");

        Assert.Equal((1, 0), (_ingress.Counters.Acknowledged, _ingress.Duplicates));
    }

    [Fact]
    public void A_stream_reports_a_message_that_it_had_already_stored()
    {
        Accept("a");
        Answer(1, """{"stream":"WORK", "seq":1,"duplicate": true}""");

        Assert.Equal((1, 1), (_ingress.Counters.Acknowledged, _ingress.Duplicates));
    }

    [Fact]
    public void Without_a_subscriber_the_stream_is_looked_up_before_messages_are_sent_again()
    {
        Accept("a");
        Published();
        _ingress.OnAnswer(1, "NATS/1.0 503\r\n\r\n"u8, default);
        _ingress.Tick();
        Assert.False(_ingress.IsReady);
        Assert.Empty(Published());

        _ingress.IsReady = true;
        _ingress.OnConnected();
        Assert.Equal(["a 1"], Published());
    }

    [Fact]
    public void A_reply_subject_does_not_tell_the_reply_subject_of_another_message()
    {
        Accept("a", "b");
        string[] tokens = [.. _participant.Asked.Select(static asked => asked.ReplyTo[(asked.ReplyTo.LastIndexOf('.') + 1)..])];
        Assert.All(Guesses(tokens[0]), guess => AnswerTo(guess, Stored));
        Assert.Equal(0, _ingress.Counters.Acknowledged);

        Assert.All(tokens, token => AnswerTo(token, Stored));
        Assert.Equal(2, _ingress.Counters.Acknowledged);
    }

    [Fact]
    public void The_answer_to_an_earlier_message_confirms_no_later_one()
    {
        Accept("a");
        string earlier = _participant.Asked[0].ReplyTo["inbox.".Length..];
        AnswerTo(earlier, Stored);
        _nats.Lose();
        _nats.Recover();
        _participant.Asked.Clear();
        Accept("b", "c", "d", "e");

        AnswerTo(earlier, Stored);
        Assert.Equal(1, _ingress.Counters.Acknowledged);
        Assert.All(_participant.Asked, asked => AnswerTo(asked.ReplyTo["inbox.".Length..], Stored));
        Assert.Equal(5, _ingress.Counters.Acknowledged);
    }

    // What somebody tries who has seen one token: numbers, and the token with another number at its end.
    private static IEnumerable<string> Guesses(string token)
        => Enumerable.Range(0, 100)
            .SelectMany(i => new[] { i.ToString(CultureInfo.InvariantCulture), token[..^8] + i.ToString("x8", CultureInfo.InvariantCulture) })
            .Where(guess => guess != token);

    private void AnswerTo(string token, string answer)
        => _ingress.OnAnswer(Encoding.ASCII.GetBytes(token), default, Encoding.ASCII.GetBytes(answer));

    private static string Stored => """{"stream":"WORK","seq":1}""";

    private static string Refused => """{"error":{"code":503}}""";

    private void Accept(params string[] messages) => Assert.All(messages, message => Assert.True(_ingress.TryAccept(Encoding.ASCII.GetBytes(message), 1)));

    private void Answer(long number, string answer) => _ingress.OnAnswer(number, default, Encoding.ASCII.GetBytes(answer));

    // Returns the body, the number in the message id, and whether the header says that the message may have been
    // delivered.
    private List<string> Published()
    {
        List<string> published = [.. _participant.Sent.Select(sent =>
        {
            string headers = Encoding.ASCII.GetString(sent.Headers);
            string id = headers.Split("\r\n").Single(line => line.StartsWith("Nats-Msg-Id: i-", StringComparison.Ordinal));
            return string.Create(CultureInfo.InvariantCulture, $"{Encoding.ASCII.GetString(sent.Body)} {id["Nats-Msg-Id: i-".Length..]}")
                + (headers.Contains("\r\nZmq-Moved: 1\r\n", StringComparison.Ordinal) ? " moved" : "");
        })];
        _participant.Sent.Clear();
        return published;
    }
}
