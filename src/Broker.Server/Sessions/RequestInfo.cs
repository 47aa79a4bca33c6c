using System.Buffers.Text;
using System.Text;
using Broker.Server.Accounts;

namespace Broker.Server.Sessions;

/// <summary>
/// The header that tells a service in another account who asks: <c>Nats-Request-Info: {"acc":"B","rtt":148503}</c>, the time in
/// nanoseconds. A client that sends one of its own is not believed.
/// </summary>
internal static class RequestInfo
{
    // Beside the names of two accounts.
    private const int Overhead = 128;

    private static ReadOnlySpan<byte> Version => "NATS/1.0\r\n"u8;

    private static ReadOnlySpan<byte> Name => "Nats-Request-Info:"u8;

    internal static int MostBytes(Account importer, ClientSession requestor)
        => Overhead + importer.JsonName.Length + requestor.Account.JsonName.Length;

    /// <summary>Writes the payload with the header among its own.</summary>
    /// <returns>The length of the headers.</returns>
    internal static int Write(Span<byte> destination, Account importer, ClientSession requestor, in Message message, out int length)
    {
        int at = message.HeaderLength > 0 ? CopyHeaders(destination, message.Payload[..message.HeaderLength]) : 0;
        at = at == 0 ? Put(destination, 0, Version) : at;
        at = Put(destination, at, Name);
        at = Put(destination, at, " {\"acc\":\""u8);
        at = Put(destination, at, requestor.Account.JsonName);
        if (requestor.Account != importer)
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

    // All lines but one's own of the name, and not the empty line at the end. 0 for a block that is none.
    private static int CopyHeaders(Span<byte> destination, ReadOnlySpan<byte> block)
    {
        if (!block.StartsWith("NATS/1.0"u8) || !block.EndsWith("\r\n\r\n"u8))
        {
            return 0;
        }

        int at = 0;
        while (block.Length > 2)
        {
            ReadOnlySpan<byte> line = block[..(block.IndexOf("\r\n"u8) + 2)];
            block = block[line.Length..];
            if (line.Length == 2)
            {
                // A reader would go no further.
                return at;
            }

            if (!Ascii.EqualsIgnoreCase(line[..Math.Min(line.Length, Name.Length)], Name))
            {
                at = Put(destination, at, line);
            }
        }

        return at;
    }

    private static int Put(Span<byte> destination, int at, ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(destination[at..]);
        return at + bytes.Length;
    }
}
