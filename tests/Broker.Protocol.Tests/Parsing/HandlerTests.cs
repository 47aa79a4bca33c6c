using Broker.Protocol.Tests.Support;

namespace Broker.Protocol.Tests.Parsing;

public sealed class HandlerTests
{
    [Theory]
    [InlineData("PUB foo 2\r\nab\r\n")]
    [InlineData("PING\r\n")]
    [InlineData("SUB foo 1\r\n")]
    [InlineData("UNSUB 1\r\n")]
    [InlineData("CONNECT {}\r\n")]
    [InlineData("HPUB foo 1 2\r\nab\r\n")]
    [InlineData("+OK\r\n")]
    [InlineData("INFO {}\r\n")]
    [InlineData("-ERR x\r\n")]
    public void A_handler_that_stops_receives_the_remaining_operations_with_the_next_call(string operation)
    {
        byte[] stream = Text.Bytes(string.Concat(Enumerable.Repeat(operation, 10)));
        var parser = new ClientOperationParser(ParserLimits.Default);
        var handler = new OneAtATime();
        int needed = 0;
        for (int i = 0; i < 10; i++)
        {
            Assert.Equal(operation.Length, parser.Parse(stream.AsSpan(i * operation.Length), ref handler, ref needed, out ProtocolError error));
            Assert.Equal(ProtocolError.None, error);
            Assert.Equal(i + 1, handler.Count);
        }
    }

    [Fact]
    public void Headers_and_body_of_a_payload_are_separate()
    {
        var handler = new Headers();
        var parser = new ServerOperationParser(ParserLimits.Default);
        int needed = 0;
        parser.Parse("HMSG a 1 12 14\r\nNATS/1.0\r\n\r\nhi\r\n"u8, ref handler, ref needed, out _);
        Assert.Equal("NATS/1.0\r\n\r\n|hi", handler.Seen);
        parser.Parse("HMSG a 1 0 2\r\nhi\r\n"u8, ref handler, ref needed, out _);
        Assert.Equal("|hi", handler.Seen);
        parser.Parse("MSG a 1 2\r\nhi\r\n"u8, ref handler, ref needed, out _);
        Assert.Equal("|hi", handler.Seen);
    }

    private struct OneAtATime : IClientOperationHandler
    {
        internal int Count { get; private set; }

        public bool OnPublish(scoped PublishOperation operation) => Stop();

        public bool OnSubscribe(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> queue, ReadOnlySpan<byte> sid) => Stop();

        public bool OnUnsubscribe(ReadOnlySpan<byte> sid, int max) => Stop();

        public bool OnConnect(ReadOnlySpan<byte> json) => Stop();

        public bool OnPing() => Stop();

        public bool OnPong() => Stop();

        public bool OnOk() => Stop();

        public bool OnInfo(ReadOnlySpan<byte> json) => Stop();

        public bool OnError(ReadOnlySpan<byte> text) => Stop();

        private bool Stop()
        {
            Count++;
            return false;
        }
    }

    private struct Headers : IServerOperationHandler
    {
        internal string? Seen { get; private set; }

        public bool OnMessage(in MessageOperation operation)
        {
            Seen = $"{Text.Of(operation.Headers)}|{Text.Of(operation.Body)}";
            return true;
        }

        public readonly bool OnInfo(ReadOnlySpan<byte> json) => true;

        public readonly bool OnPing() => true;

        public readonly bool OnPong() => true;

        public readonly bool OnOk() => true;

        public readonly bool OnError(ReadOnlySpan<byte> text) => true;
    }
}
