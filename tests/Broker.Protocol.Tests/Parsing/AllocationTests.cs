using System.Text;
using Broker.Protocol.Tests.Support;

namespace Broker.Protocol.Tests.Parsing;

/// <summary>The parsers allocate nothing on any path.</summary>
public sealed class AllocationTests
{
    private const int Operations = 1_000_000;
    private const int Warm = 1000;

    [Theory]
    [InlineData("PUB foo 16\r\n{16}\r\n")]
    [InlineData("PUB foo 16\r\n{16}\r\nPUB foo 17\r\n{17}\r\nPUB bar 99\r\n{99}\r\n")]
    [InlineData("PUB foo _INBOX.abcdefghijklmnopqrstuv.1 16\r\n{16}\r\nPUB foo _INBOX.abcdefghijklmnopqrstuv.2 16\r\n{16}\r\n")]
    [InlineData("HPUB foo 12 28\r\nNATS/1.0\r\n\r\n{16}\r\n")]
    [InlineData("PUB  foo\t16 \n{16}\r\n")]
    [InlineData("SUB foo.* queue 1\r\nUNSUB 1 5\r\nPING\r\nPONG\r\nCONNECT {}\r\n")]
    [InlineData("INFO {}\r\n-ERR x\r\n+OK\r\nPING\r\n")]
    public void Parsing_client_operations_allocates_nothing(string operations)
    {
        byte[] stream = Repeat(operations);
        Assert.Equal(Warm, ParseClient(stream, Warm));
        Assert.Equal(0, Allocations.Of(() => Assert.True(ParseClient(stream, Operations) == Operations)));
    }

    [Theory]
    [InlineData("MSG foo 1 16\r\n{16}\r\n")]
    [InlineData("MSG foo 1 16\r\n{16}\r\nMSG foo 2 17\r\n{17}\r\n")]
    [InlineData("MSG foo 1 _INBOX.abcdefghijklmnopqrstuv.1 16\r\n{16}\r\n")]
    [InlineData("HMSG foo 1 12 28\r\nNATS/1.0\r\n\r\n{16}\r\n")]
    [InlineData("INFO {}\r\nPING\r\nPONG\r\n+OK\r\n-ERR 'x'\r\n")]
    public void Parsing_server_operations_allocates_nothing(string operations)
    {
        byte[] stream = Repeat(operations);
        Assert.Equal(Warm, ParseServer(stream, Warm));
        Assert.Equal(0, Allocations.Of(() => Assert.True(ParseServer(stream, Operations) == Operations)));
    }

    // {n} is replaced by a payload of n bytes.
    private static byte[] Repeat(string operations)
    {
        foreach (int size in (int[])[16, 17, 99])
        {
            operations = operations.Replace($"{{{size}}}", Text.Letters(size), StringComparison.Ordinal);
        }

        return Text.Bytes(new StringBuilder().Insert(0, operations, 200).ToString());
    }

    private static int ParseClient(ReadOnlySpan<byte> stream, int operations)
    {
        var parser = new ClientOperationParser(ParserLimits.Default);
        var counter = new Counter(operations);
        for (int at = 0, needed = 0; counter.Count < operations;)
        {
            at += parser.Parse(stream[at..], ref counter, ref needed, out ProtocolError error);
            if (error != ProtocolError.None)
            {
                return -1;
            }

            at = at == stream.Length ? 0 : at;
        }

        return counter.Count;
    }

    private static int ParseServer(ReadOnlySpan<byte> stream, int operations)
    {
        var parser = new ServerOperationParser(ParserLimits.Default);
        var counter = new Counter(operations);
        for (int at = 0, needed = 0; counter.Count < operations;)
        {
            at += parser.Parse(stream[at..], ref counter, ref needed, out ProtocolError error);
            if (error != ProtocolError.None)
            {
                return -1;
            }

            at = at == stream.Length ? 0 : at;
        }

        return counter.Count;
    }

    private struct Counter(int most) : IClientOperationHandler, IServerOperationHandler
    {
        internal int Count { get; private set; }

        public bool OnPublish(scoped PublishOperation operation) => ++Count < most;

        public bool OnSubscribe(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> queue, ReadOnlySpan<byte> sid) => ++Count < most;

        public bool OnUnsubscribe(ReadOnlySpan<byte> sid, int max) => ++Count < most;

        public bool OnConnect(ReadOnlySpan<byte> json) => ++Count < most;

        public bool OnMessage(in MessageOperation operation) => ++Count < most;

        public bool OnInfo(ReadOnlySpan<byte> json) => ++Count < most;

        public bool OnOk() => ++Count < most;

        public bool OnError(ReadOnlySpan<byte> text) => ++Count < most;

        public bool OnPing() => ++Count < most;

        public bool OnPong() => ++Count < most;
    }
}
