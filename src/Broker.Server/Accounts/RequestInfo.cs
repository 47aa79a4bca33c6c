using System.Buffers;
using System.Buffers.Text;
using System.Text;

namespace Broker.Server;

/// <summary>
/// Writes the header that names the requester's account to a service in another account: <c>Nats-Request-Info:
/// {"acc":"B","rtt":148503}</c>, with the round-trip time in nanoseconds. If the import shares the client, there are
/// further fields. A header of this name that a client sends is removed.
/// </summary>
/// <remarks>
/// Header parsers differ in the line ends that they accept, in the handling of folded lines, and in the characters that
/// they remove from names. The forwarded headers have a form that all parsers read in the same way: lines end with CR
/// LF only, and no line is folded (RFC 9112, 2.2 and 5.2: other forms are replaced by spaces). Lines that are not
/// headers are left out.
/// </remarks>
internal static class RequestInfo
{
    // The maximum length of the header without the names of the two accounts.
    private const int Overhead = 128;

    private const byte Space = (byte)' ';
    private const byte Tab = (byte)'\t';

    // All control characters except the tab. They include every character that any parser accepts as the end of a line.
    private static readonly SearchValues<byte> Controls = SearchValues.Create(
        [.. Enumerable.Range(0, Space).Where(b => b != Tab).Select(b => (byte)b), 0x7F]);

    private static readonly SearchValues<byte> TokenBytes =
        SearchValues.Create("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"u8);

    private static ReadOnlySpan<byte> Version => "NATS/1.0"u8;

    private static ReadOnlySpan<byte> Name => "Nats-Request-Info"u8;

    private static ReadOnlySpan<byte> LineEnd => "\r\n"u8;

    internal static int MaxBytes(Account importer, RoutingPublisher requestor)
        => Overhead + importer.JsonName.Length + requestor.Router.JsonName.Length;

    /// <summary>Writes the headers of a message, then the additional header, and then the payload.</summary>
    /// <returns>The length of the headers.</returns>
    internal static int Write(
        Span<byte> destination,
        Account importer,
        RoutingPublisher requestor,
        SharedClientInfo shared,
        in RoutedMessage message,
        out int length)
    {
        int at = message.HeaderLength > 0 ? CopyHeaders(destination, message.Payload[..message.HeaderLength]) : 0;
        at = at == 0 ? Put(destination, Put(destination, 0, Version), LineEnd) : at;
        at = Put(destination, at, Name);
        at = Put(destination, at, ": {"u8);
        at = Put(destination, at, shared.BeforeAccount);
        at = Put(destination, at, "\"acc\":\""u8);
        at = Put(destination, at, requestor.Router.JsonName);
        if (requestor.Router != importer.Router)
        {
            at = Put(destination, at, "\",\"svc\":\""u8);
            at = Put(destination, at, importer.JsonName);
        }

        at = Put(destination, at, "\""u8);
        at = Put(destination, at, shared.AfterAccount);
        if (requestor.RoundTripNanoseconds is var time and not 0)
        {
            at = Put(destination, at, ",\"rtt\":"u8);
            Utf8Formatter.TryFormat(time, destination[at..], out int digits);
            at += digits;
        }

        at = Put(destination, at, shared.AtEnd);
        at = Put(destination, at, "}\r\n\r\n"u8);
        length = Put(destination, at, message.Payload[Math.Max(0, message.HeaderLength)..]);
        return at;
    }

    /// <summary>
    /// Copies a block of headers without the empty line at its end, in the form that all parsers read in the same way,
    /// and without any <c>Nats-Request-Info</c> header. The copy is never longer than the block. Returns 0 if the block
    /// is not valid.
    /// </summary>
    internal static int CopyHeaders(Span<byte> destination, ReadOnlySpan<byte> block)
    {
        if (!block.StartsWith(Version) || !block.EndsWith("\r\n\r\n"u8))
        {
            return 0;
        }

        ReadOnlySpan<byte> first = block[..block.IndexOf(LineEnd)];
        // A status may follow the version, but nothing that a parser could read as a header.
        bool isPlain = first.Length == Version.Length
            || (first[Version.Length] is Space or Tab && !first.ContainsAny(Controls) && !first.Contains((byte)':'));
        int at = Put(destination, Put(destination, 0, isPlain ? first : Version), LineEnd);
        bool isKept = false;
        while (true)
        {
            block = block[(block.IndexOf(LineEnd) + LineEnd.Length)..];
            int end = block.IndexOf(LineEnd);
            if (end <= 0)
            {
                // A parser stops at an empty line.
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
                // This is a folded line: append it to the previous line.
                destination[(at - LineEnd.Length)..at].Fill(Space);
            }

            at = isKept ? Put(destination, at + end, LineEnd) : at;
        }
    }

    // The name of a header must be a token (RFC 9110, 5.1). Parsers differ for other names: some remove characters, and
    // some stop.
    private static bool IsOther(ReadOnlySpan<byte> line)
    {
        int colon = line.IndexOf((byte)':');
        return colon > 0
            && !line[..colon].ContainsAnyExcept(TokenBytes)
            && !Ascii.EqualsIgnoreCase(line[..colon], Name);
    }

    private static int Put(Span<byte> destination, int at, ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(destination[at..]);
        return at + bytes.Length;
    }
}
