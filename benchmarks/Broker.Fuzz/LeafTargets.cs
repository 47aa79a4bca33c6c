using System.Text;
using Broker.Protocol;

namespace Broker.Fuzz;

/// <summary>The parser of leaf node connections: the handshake and the operations of the other server.</summary>
internal static class LeafTargets
{
    /// <summary>Operations as another server sends them.</summary>
    public static IReadOnlyList<byte[]> Seeds { get; } =
    [
        .. new[]
        {
            "INFO {\"client_id\":7,\"leafnode_urls\":[\"a:1\"],\"nonce\":\"n\"}\r\nINFO {\"connect_info\":true}\r\n",
            "LS+ $LDS.abc\r\nLS+ foo.* group 3\r\nLS- foo.* group\r\nLS- foo\r\n",
            "LMSG foo 5\r\nhello\r\nLMSG foo reply 0\r\n\r\n",
            "LMSG foo | a b 1\r\nx\r\nLMSG foo + reply a b 1\r\nx\r\n",
            "HMSG foo + reply a 12 17\r\nNATS/1.0\r\n\r\nhello\r\n",
            "PING\r\nPONG\r\n+OK\r\n-ERR 'Loop detected'\r\n",
        }.Select(Encoding.ASCII.GetBytes),
    ];

    /// <summary>Parses the operations in reads.</summary>
    public static void Parse(int size, byte[] input)
    {
        var parser = new LeafOperationParser(ParserLimits.Default);
        var handler = new Handler();
        int needed = 0;
        Reads.Run(size, input, unconsumed =>
        {
            int consumed = parser.Parse(unconsumed, ref handler, ref needed, out ProtocolError error);
            return error == ProtocolError.None ? consumed : -1;
        });
    }

    private readonly struct Handler : ILeafOperationHandler
    {
        public bool OnMessage(in LeafMessage message)
        {
            Reads.Check(message.HeaderLength <= message.Payload.Length, "the headers are longer than the payload");
            return message.Subject.Length + message.ReplyTo.Length + message.QueueGroups.Length >= 0;
        }

        public bool OnSubscribe(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup, int weight)
        {
            Reads.Check(weight > 0, "a weight is not positive");
            return true;
        }

        public bool OnUnsubscribe(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup) => true;

        public bool OnInfo(ReadOnlySpan<byte> json) => true;

        public bool OnPing() => true;

        public bool OnPong() => true;

        public bool OnError(ReadOnlySpan<byte> text) => true;
    }
}
