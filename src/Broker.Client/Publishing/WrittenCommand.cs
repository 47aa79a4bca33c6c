using System.Buffers.Text;
using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// Finds the end of each command that this client has written for a server, and whether the command is a message. In a
/// message, the last word of the line is the number of the bytes that follow, headers included. The client has written
/// these bytes itself, so it needs to parse nothing else.
/// </summary>
internal sealed class WrittenCommand : IOutboundFraming
{
    internal static readonly WrittenCommand Framing = new();

    private const int EndLength = 2;

    /// <summary>Returns the number of messages in a sequence of whole commands.</summary>
    internal static long CountMessages(ReadOnlySpan<byte> commands)
    {
        long messages = 0;
        while (!commands.IsEmpty && Framing.Measure(commands, out bool isMessage) is var length && length > 0 && length <= commands.Length)
        {
            messages += isMessage ? 1 : 0;
            commands = commands[length..];
        }

        return messages;
    }

    /// <summary>Returns the size of headers and body of a whole message, in bytes.</summary>
    internal static int PayloadOf(ReadOnlySpan<byte> message)
        => Framing.Measure(message, out _) - (message.IndexOf((byte)'\n') + 1) - EndLength;

    /// <inheritdoc/>
    public int Measure(ReadOnlySpan<byte> written, out bool isMessage)
    {
        int line = written.IndexOf((byte)'\n') + 1;
        isMessage = line > EndLength && (written.StartsWith("PUB "u8) || written.StartsWith("HPUB "u8));
        if (!isMessage)
        {
            return line;
        }

        ReadOnlySpan<byte> words = written[..(line - EndLength)];
        ReadOnlySpan<byte> size = words[(words.LastIndexOf((byte)' ') + 1)..];
        return Utf8Parser.TryParse(size, out int payload, out int digits) && digits == size.Length && payload <= int.MaxValue - line - EndLength
            ? line + payload + EndLength
            : 0;
    }
}
