using System.Buffers;
using System.Buffers.Text;

namespace Broker.Bridge;

/// <summary>Reads and writes the last token of a reply subject: the number of the request.</summary>
internal static class ReplyNumber
{
    /// <summary>The length of the token in characters.</summary>
    internal const int Length = 16;

    private static readonly StandardFormat Hexadecimal = new('x', Length);

    internal static void Write(Span<byte> destination, ulong number)
        => Utf8Formatter.TryFormat(number, destination, out _, Hexadecimal);

    internal static bool TryRead(ReadOnlySpan<byte> token, out ulong number)
    {
        number = 0;
        return token.Length == Length && Utf8Parser.TryParse(token, out number, out int read, 'x') && read == Length;
    }
}
