using System.Buffers;
using System.Buffers.Text;

namespace Broker.Bridge;

/// <summary>
/// Reads and writes the last token of a reply subject: the secret of the request and its slot in the table.
/// </summary>
internal static class ReplyToken
{
    /// <summary>The length of the token in characters.</summary>
    internal const int Length = SecretLength + SlotLength;

    private const int SecretLength = 16;
    private const int SlotLength = 8;

    private static readonly StandardFormat SecretFormat = new('x', SecretLength);
    private static readonly StandardFormat SlotFormat = new('x', SlotLength);

    internal static void Write(Span<byte> destination, ulong secret, int slot)
    {
        Utf8Formatter.TryFormat(secret, destination, out _, SecretFormat);
        Utf8Formatter.TryFormat((uint)slot, destination[SecretLength..], out _, SlotFormat);
    }

    internal static bool TryRead(ReadOnlySpan<byte> token, out ulong secret, out uint slot)
    {
        secret = 0;
        slot = 0;
        return token.Length == Length
            && Utf8Parser.TryParse(token[..SecretLength], out secret, out int read, 'x') && read == SecretLength
            && Utf8Parser.TryParse(token[SecretLength..], out slot, out read, 'x') && read == SlotLength;
    }
}
