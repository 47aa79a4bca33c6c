using System.Text;
using Broker.Protocol;

namespace Broker.Fuzz;

/// <summary>The parser of the NATS client protocol.</summary>
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
}
