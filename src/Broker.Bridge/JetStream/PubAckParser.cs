using System.Buffers.Text;
using Broker.Protocol;

namespace Broker.Bridge;

/// <summary>Reads the answers of a stream to published messages.</summary>
internal static class PubAckParser
{
    private const int NoResponders = 503;
    private const int AnotherStream = 10060;
    private const int MessageTooLarge = 10054;
    private const int HeadersTooLarge = 10097;

    /// <summary>
    /// Reads an answer: a status without a body if nobody subscribes to the subject, otherwise
    /// <c>{"stream":"S", "seq":1}</c> or an error.
    /// </summary>
    internal static PubAckStatus Parse(ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body)
    {
        int status = HeaderBlock.Status(headers);
        if (status != 0)
        {
            return status == NoResponders ? PubAckStatus.NoStream : PubAckStatus.Refused;
        }

        // The search includes the colon, because a stream may have the name "error".
        if (body.IndexOf("\"error\":"u8) >= 0)
        {
            return ErrorCode(body) switch
            {
                AnotherStream => PubAckStatus.NoStream,
                MessageTooLarge or HeadersTooLarge => PubAckStatus.NeverStored,
                _ => PubAckStatus.Refused,
            };
        }

        return body.IndexOf("\"seq\":"u8) < 0 ? PubAckStatus.Refused
            : body.IndexOf("\"duplicate\":"u8) >= 0 ? PubAckStatus.Duplicate
            : PubAckStatus.Stored;
    }

    private static int ErrorCode(ReadOnlySpan<byte> body)
    {
        int at = body.IndexOf("\"err_code\":"u8);
        return at >= 0 && Utf8Parser.TryParse(body[(at + "\"err_code\":".Length)..].TrimStart((byte)' '), out int code, out _) ? code : 0;
    }
}
