using Broker.Protocol.Tests.Support;

namespace Broker.Protocol.Tests.Writing;

public sealed class OperationWriterTests : IDisposable
{
    private const int Rounds = 50_000;

    private readonly byte[] _buffer = new byte[4096];
    private readonly Feed _feed = new();

    public void Dispose() => _feed.Dispose();

    [Fact]
    public void The_parser_reads_the_same_publish_that_was_written()
    {
        var random = new Random(Seed.Next());
        for (int i = 0; i < Rounds; i++)
        {
            string subject = Subject(random, 1);
            string replyTo = Subject(random, 0);
            string headers = random.Next(2) == 0 ? "" : $"NATS/1.0\r\nA: {Subject(random, 0)}\r\n\r\n";
            string body = Body(random);
            int written = OperationWriter.Publish(_buffer, Text.Bytes(subject), Text.Bytes(replyTo), Text.Bytes(headers), Text.Bytes(body));
            Assert.InRange(written, 1, OperationWriter.PublishSize(subject.Length, replyTo.Length, headers.Length, body.Length));
            string tail = (replyTo.Length > 0 ? $" {replyTo}" : "") + (headers.Length > 0 ? $" {headers.Length}" : "")
                + $" {headers.Length + body.Length}\r\n{headers}{body}\r\n";
            Outcome outcome = _feed.Client(_buffer.AsSpan(0, written), ParserLimits.Default);
            Assert.Equal($"{(headers.Length > 0 ? "HPUB" : "PUB")} [{subject}]{tail} as it is: True\nNone, 0 held", outcome.Text);
        }
    }

    [Fact]
    public void The_parser_reads_the_same_message_that_was_written()
    {
        var random = new Random(Seed.Next());
        for (int i = 0; i < Rounds; i++)
        {
            string subject = Subject(random, 1);
            string replyTo = Subject(random, 0);
            ulong sid = (ulong)random.NextInt64(random.Next(2) == 0 ? 10 : long.MaxValue);
            int headerLength = random.Next(2) == 0 ? -1 : random.Next(20);
            string payload = Body(random) + Text.Letters(Math.Max(headerLength, 0));
            int written = Put(0, $"{(headerLength >= 0 ? "HMSG" : "MSG")} {subject} {sid}");
            written += OperationWriter.MessageTail(_buffer.AsSpan(written), Text.Bytes(replyTo), headerLength, payload.Length);
            written += Put(written, payload + "\r\n");
            Outcome outcome = _feed.Server(_buffer.AsSpan(0, written), ParserLimits.Default);
            Assert.Equal($"MSG [{subject}] {sid} [{replyTo}] {headerLength} {payload.Length} [{payload}]\nNone, 0 held", outcome.Text);
        }
    }

    [Theory]
    [InlineData(0UL)]
    [InlineData(1UL)]
    [InlineData((ulong)long.MaxValue)]
    [InlineData(ulong.MaxValue)]
    public void The_parser_reads_the_same_subscriptions_that_were_written(ulong sid)
    {
        int written = OperationWriter.Subscribe(_buffer, "foo.>"u8, default, sid);
        written += OperationWriter.Subscribe(_buffer.AsSpan(written), "foo.*"u8, "queue"u8, sid);
        written += OperationWriter.Unsubscribe(_buffer.AsSpan(written), sid, 0);
        written += OperationWriter.Unsubscribe(_buffer.AsSpan(written), sid, 5);
        Outcome outcome = _feed.Client(_buffer.AsSpan(0, written), ParserLimits.Default);
        Assert.Equal(
            [$"SUB [foo.>] [] [{sid}]", $"SUB [foo.*] [queue] [{sid}]", $"UNSUB [{sid}] 0", $"UNSUB [{sid}] 5"], outcome.Events);
    }

    [Fact]
    public void The_parser_reads_the_same_error_that_was_written()
    {
        int written = OperationWriter.Error(_buffer, Text.Bytes(ProtocolErrorText.For(ProtocolError.PayloadTooLarge)));
        Assert.Equal("-ERR 'Maximum Payload Violation'\r\n", Text.Of(_buffer.AsSpan(0, written)));
        Assert.Equal(["-ERR [Maximum Payload Violation]"], _feed.Server(_buffer.AsSpan(0, written), ParserLimits.Default).Events);
    }

    [Fact]
    public void Writing_throws_if_the_destination_is_too_small()
    {
        int whole = OperationWriter.Publish(_buffer, "foo"u8, "bar"u8, "NATS/1.0\r\n\r\n"u8, "12345678901234567890"u8);
        for (int room = 0; room < whole; room++)
        {
            Assert.ThrowsAny<Exception>(
                () => OperationWriter.Publish(_buffer.AsSpan(0, room), "foo"u8, "bar"u8, "NATS/1.0\r\n\r\n"u8, "12345678901234567890"u8));
        }

        whole = OperationWriter.Subscribe(_buffer, "foo"u8, "q"u8, ulong.MaxValue);
        for (int room = 0; room < whole; room++)
        {
            Assert.ThrowsAny<Exception>(() => OperationWriter.Subscribe(_buffer.AsSpan(0, room), "foo"u8, "q"u8, ulong.MaxValue));
        }
    }

    [Fact]
    public void LineOverhead_covers_the_longest_numbers()
    {
        Assert.InRange(OperationWriter.Unsubscribe(_buffer, ulong.MaxValue, long.MaxValue), 1, OperationWriter.LineOverhead);
        Assert.InRange(OperationWriter.Subscribe(_buffer, default, "q"u8, ulong.MaxValue) - 1, 1, OperationWriter.LineOverhead);
        Assert.InRange(OperationWriter.PublishLine(_buffer, default, "r"u8, int.MaxValue, int.MaxValue) + 1, 1, OperationWriter.LineOverhead);
    }

    private int Put(int at, string text)
    {
        Text.Bytes(text).CopyTo(_buffer, at);
        return text.Length;
    }

    private static string Subject(Random random, int fewest)
        => string.Concat(Enumerable.Range(0, random.Next(fewest, 60)).Select(_ => (char)random.Next('!', 256)));

    private static string Body(Random random)
        => string.Concat(Enumerable.Range(0, random.Next(random.Next(2) == 0 ? 4 : 130)).Select(_ => (char)random.Next(256)));
}
