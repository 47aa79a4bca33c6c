using System.Buffers;
using System.Buffers.Text;
using System.Text;
using Broker.Server.Delivery;

namespace Broker.Server.Accounts;

/// <summary>
/// The header that tells a service in another account who asks: <c>Nats-Request-Info: {"acc":"B","rtt":148503}</c>, the time in
/// nanoseconds. A client that sends one of its own is not believed.
/// </summary>
/// <remarks>
/// Readers of headers differ in what ends a line, in whether a line that begins with white space belongs to the one before, and in
/// what they cut off a name. What is sent on is the same to all of them: lines end with CR LF alone, nothing is folded
/// (RFC 9112, 2.2 and 5.2: what is not of that form is replaced by spaces), and what is no header is left out.
/// </remarks>
internal static class RequestInfo
{
    // Beside the names of two accounts.
    private const int Overhead = 128;

    private const byte Space = (byte)' ';
    private const byte Tab = (byte)'\t';

    // All control characters but the tab: what some reader or other ends a line at is among them.
    private static readonly SearchValues<byte> Controls = SearchValues.Create(
        [.. Enumerable.Range(0, Space).Where(b => b != Tab).Select(b => (byte)b), 0x7F]);

    private static readonly SearchValues<byte> TokenBytes =
        SearchValues.Create("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"u8);

    private static ReadOnlySpan<byte> Version => "NATS/1.0"u8;

    private static ReadOnlySpan<byte> Name => "Nats-Request-Info"u8;

    private static ReadOnlySpan<byte> LineEnd => "\r\n"u8;

    internal static int MostBytes(Account importer, Publisher requestor)
        => Overhead + importer.JsonName.Length + requestor.Router.JsonName.Length;

    /// <summary>Writes the payload with the header among its own.</summary>
    /// <returns>The length of the headers.</returns>
    internal static int Write(Span<byte> destination, Account importer, Publisher requestor, in Message message, out int length)
    {
        int at = message.HeaderLength > 0 ? CopyHeaders(destination, message.Payload[..message.HeaderLength]) : 0;
        at = at == 0 ? Put(destination, Put(destination, 0, Version), LineEnd) : at;
        at = Put(destination, at, Name);
        at = Put(destination, at, ": {\"acc\":\""u8);
        at = Put(destination, at, requestor.Router.JsonName);
        if (requestor.Router != importer.Router)
        {
            at = Put(destination, at, "\",\"svc\":\""u8);
            at = Put(destination, at, importer.JsonName);
        }

        at = Put(destination, at, "\""u8);
        if (requestor.RoundTripNanoseconds is var time and not 0)
        {
            at = Put(destination, at, ",\"rtt\":"u8);
            Utf8Formatter.TryFormat(time, destination[at..], out int digits);
            at += digits;
        }

        at = Put(destination, at, "}\r\n\r\n"u8);
        length = Put(destination, at, message.Payload[Math.Max(0, message.HeaderLength)..]);
        return at;
    }

    /// <summary>
    /// Copies a block of headers without its empty line at the end, never longer than it is: in the one form that all read alike,
    /// and without what could pass for this header. 0 for a block that is none.
    /// </summary>
    internal static int CopyHeaders(Span<byte> destination, ReadOnlySpan<byte> block)
    {
        if (!block.StartsWith(Version) || !block.EndsWith("\r\n\r\n"u8))
        {
            return 0;
        }

        ReadOnlySpan<byte> first = block[..block.IndexOf(LineEnd)];
        // A status may stand behind the version, and nothing that could be the beginning of a header.
        bool isPlain = first.Length == Version.Length || (first[Version.Length] is Space or Tab && !first.ContainsAny(Controls) && !first.Contains((byte)':'));
        int at = Put(destination, Put(destination, 0, isPlain ? first : Version), LineEnd);
        bool isKept = false;
        while (true)
        {
            block = block[(block.IndexOf(LineEnd) + LineEnd.Length)..];
            int end = block.IndexOf(LineEnd);
            if (end <= 0)
            {
                // A reader would go no further than an empty line.
                return at;
            }

            Span<byte> line = destination.Slice(at, end);
            block[..end].CopyTo(line);
            line.ReplaceAny(Controls, Space);
            if (line[0] is not (Space or Tab))
            {
                isKept = IsOther(line);
            }
            else if (isKept)
            {
                // It goes on what the line before began.
                destination[(at - LineEnd.Length)..at].Fill(Space);
            }

            at = isKept ? Put(destination, at + end, LineEnd) : at;
        }
    }

    // What has no token for a name is no header (RFC 9110, 5.1): some readers cut off what else there is, some read nothing further.
    private static bool IsOther(ReadOnlySpan<byte> line)
    {
        int colon = line.IndexOf((byte)':');
        return colon > 0 && !line[..colon].ContainsAnyExcept(TokenBytes) && !Ascii.EqualsIgnoreCase(line[..colon], Name);
    }

    private static int Put(Span<byte> destination, int at, ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(destination[at..]);
        return at + bytes.Length;
    }
}
