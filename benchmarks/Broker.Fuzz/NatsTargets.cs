using System.Text;
using Broker.Protocol;

namespace Broker.Fuzz;

/// <summary>The parsers of the NATS protocol: of both sides, and of header blocks.</summary>
internal static class NatsTargets
{
    /// <summary>Operations as a client sends them.</summary>
    public static IReadOnlyList<byte[]> ClientSeeds { get; } =
    [
        .. new[]
        {
            "CONNECT {\"verbose\":false}\r\nPING\r\n",
            "PUB foo 5\r\nhello\r\n",
            "PUB foo reply 0\r\n\r\n",
            "HPUB foo 12 17\r\nNATS/1.0\r\n\r\nhello\r\n",
            "SUB foo.* group 1\r\nUNSUB 1 5\r\nPONG\r\n",
        }.Select(Encoding.ASCII.GetBytes),
    ];

    /// <summary>Operations as a server sends them.</summary>
    public static IReadOnlyList<byte[]> ServerSeeds { get; } =
    [
        .. new[]
        {
            "INFO {\"server_id\":\"a\",\"max_payload\":1048576}\r\nPONG\r\n",
            "MSG foo 1 5\r\nhello\r\n",
            "MSG foo 9 reply 0\r\n\r\n",
            "HMSG foo 1 12 17\r\nNATS/1.0\r\n\r\nhello\r\n",
            "+OK\r\n-ERR 'Stale Connection'\r\nPING\r\n",
        }.Select(Encoding.ASCII.GetBytes),
    ];

    /// <summary>Header blocks.</summary>
    public static IReadOnlyList<byte[]> HeaderSeeds { get; } =
    [
        .. new[]
        {
            "NATS/1.0\r\nTrace: 1\r\ntrace:2\r\n\r\n",
            "NATS/1.0 503\r\n\r\n",
            "NATS/1.0 408 Request Timeout\r\nA:\r\n\r\n",
        }.Select(Encoding.ASCII.GetBytes),
    ];

    /// <summary>Parses the operations of a client in reads.</summary>
    public static void ParseClient(int size, byte[] input)
    {
        var parser = new ClientOperationParser(ParserLimits.Default);
        var handler = new Handler();
        int needed = 0;
        Reads.Run(size, input, unconsumed =>
        {
            int consumed = parser.Parse(unconsumed, ref handler, ref needed, out ProtocolError error);
            return error == ProtocolError.None ? consumed : -1;
        });
    }

    /// <summary>Parses the operations of a server in reads.</summary>
    public static void ParseServer(int size, byte[] input)
    {
        var parser = new ServerOperationParser(ParserLimits.Default);
        var handler = new ServerHandler();
        int needed = 0;
        Reads.Run(size, input, unconsumed =>
        {
            int consumed = parser.Parse(unconsumed, ref handler, ref needed, out ProtocolError error);
            return error == ProtocolError.None ? consumed : -1;
        });
    }

    /// <summary>Reads a header of a block, and its status. The size is the length of the header's name.</summary>
    public static void ParseHeaders(int size, byte[] input)
    {
        ReadOnlySpan<byte> name = input.AsSpan(0, Math.Min(size, input.Length));
        if (HeaderBlock.TryGet(input, name, out ReadOnlySpan<byte> value))
        {
            Reads.Check(value.Length <= input.Length, "a value is longer than its block");
        }

        HeaderBlock.Status(input);
    }

    private readonly struct Handler : IClientOperationHandler
    {
        public bool OnPublish(scoped PublishOperation operation)
            => operation.Subject.Length + operation.ReplyTo.Length + operation.Payload.Length >= 0;

        public bool OnSubscribe(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> queue, ReadOnlySpan<byte> sid) => true;

        public bool OnUnsubscribe(ReadOnlySpan<byte> sid, int max) => true;

        public bool OnConnect(ReadOnlySpan<byte> json) => true;

        public bool OnPing() => true;

        public bool OnPong() => true;

        public bool OnOk() => true;

        public bool OnInfo(ReadOnlySpan<byte> json) => true;

        public bool OnError(ReadOnlySpan<byte> text) => true;
    }

    private readonly struct ServerHandler : IServerOperationHandler
    {
        public bool OnMessage(in MessageOperation operation)
            => operation.Subject.Length + operation.ReplyTo.Length + operation.Headers.Length + operation.Body.Length >= 0;

        public bool OnInfo(ReadOnlySpan<byte> json) => true;

        public bool OnPing() => true;

        public bool OnPong() => true;

        public bool OnOk() => true;

        public bool OnError(ReadOnlySpan<byte> text) => true;
    }
}
