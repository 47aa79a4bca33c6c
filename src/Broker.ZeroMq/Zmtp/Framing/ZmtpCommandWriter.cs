using System.Buffers;
using System.Buffers.Binary;

namespace Broker.ZeroMq;

/// <summary>Writes command frames into the caller's memory, by the rules of <see cref="ZmtpWriter"/>.</summary>
internal static class ZmtpCommandWriter
{
    /// <summary>The longest context of PING and PONG (RFC 37, "Connection Heartbeating").</summary>
    public const int MaxPingContext = 16;

    /// <summary>The size of the largest ERROR command.</summary>
    public const int MaxErrorSize = ZmtpWriter.MaxHeaderSize + 1 + 5 + 1 + byte.MaxValue;

    // The grammar of error-reason allows visible characters only: no space.
    private static readonly SearchValues<byte> VisibleOctets = SearchValues.Create(
        "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"u8);

    /// <summary>Returns the size of a command frame with this name and this number of data octets.</summary>
    public static int CommandSize(int nameLength, int dataLength) => ZmtpWriter.FrameSize(1 + nameLength + dataLength);

    /// <summary>Writes a command.</summary>
    /// <param name="destination">At least <see cref="CommandSize"/> octets.</param>
    /// <param name="name">1 to 255 letters.</param>
    /// <param name="data">The octets after the name.</param>
    public static int WriteCommand(Span<byte> destination, ReadOnlySpan<byte> name, ReadOnlySpan<byte> data)
    {
        int written = WriteName(destination, name, data.Length);
        data.CopyTo(destination[written..]);
        return written + data.Length;
    }

    /// <summary>Writes READY with encoded metadata.</summary>
    public static int WriteReady(Span<byte> destination, ReadOnlySpan<byte> metadata) => WriteCommand(destination, "READY"u8, metadata);

    /// <summary>
    /// Writes ERROR. A reason of more than 255 octets is cut. Characters that the grammar forbids, including spaces,
    /// become hyphens.
    /// </summary>
    public static int WriteError(Span<byte> destination, ReadOnlySpan<char> reason)
    {
        int length = Math.Min(reason.Length, byte.MaxValue);
        int written = WriteName(destination, "ERROR"u8, 1 + length);
        destination[written++] = (byte)length;
        for (int i = 0; i < length; i++)
        {
            char c = reason[i];
            destination[written++] = c < 128 && VisibleOctets.Contains((byte)c) ? (byte)c : (byte)'-';
        }

        return written;
    }

    /// <summary>Writes PING.</summary>
    /// <param name="destination">At least <c>CommandSize(4, 2 + context.Length)</c> octets.</param>
    /// <param name="ttlDeciseconds">
    /// After how many tenths of a second of silence the peer must consider this side lost; 0 for no limit.
    /// </param>
    /// <param name="context">The 0 to 16 octets that the peer must repeat.</param>
    /// <exception cref="ArgumentException">The context is too long.</exception>
    public static int WritePing(Span<byte> destination, ushort ttlDeciseconds, ReadOnlySpan<byte> context)
    {
        CheckContext(context);
        int written = WriteName(destination, "PING"u8, sizeof(ushort) + context.Length);
        BinaryPrimitives.WriteUInt16BigEndian(destination[written..], ttlDeciseconds);
        written += sizeof(ushort);
        context.CopyTo(destination[written..]);
        return written + context.Length;
    }

    /// <summary>Writes PONG.</summary>
    /// <exception cref="ArgumentException">The context is too long.</exception>
    public static int WritePong(Span<byte> destination, ReadOnlySpan<byte> context)
    {
        CheckContext(context);
        return WriteCommand(destination, "PONG"u8, context);
    }

    /// <summary>Returns the size of the frame that <see cref="WriteSubscription"/> writes.</summary>
    public static int SubscriptionSize(int topicLength, bool subscribe, bool asCommand)
    {
        if (!asCommand)
        {
            return ZmtpWriter.FrameSize(1 + topicLength);
        }

        return CommandSize(subscribe ? "SUBSCRIBE"u8.Length : "CANCEL"u8.Length, topicLength);
    }

    /// <summary>Writes a subscription or its cancellation.</summary>
    /// <param name="destination">At least <see cref="SubscriptionSize"/> octets.</param>
    /// <param name="topic">The prefix.</param>
    /// <param name="subscribe">True to subscribe, false to cancel.</param>
    /// <param name="asCommand">
    /// True for the commands SUBSCRIBE and CANCEL, for peers of 3.1 and above (<see
    /// cref="ZmtpPeer.UsesSubscribeCommands"/>). False for the messages <c>01 topic</c> and <c>00 topic</c> of 3.0.
    /// </param>
    public static int WriteSubscription(Span<byte> destination, ReadOnlySpan<byte> topic, bool subscribe, bool asCommand)
    {
        if (asCommand)
        {
            return WriteCommand(destination, subscribe ? "SUBSCRIBE"u8 : "CANCEL"u8, topic);
        }

        int written = ZmtpWriter.WriteHeader(destination, 1 + topic.Length, more: false);
        destination[written++] = subscribe ? (byte)1 : (byte)0;
        topic.CopyTo(destination[written..]);
        return written + topic.Length;
    }

    private static int WriteName(Span<byte> destination, ReadOnlySpan<byte> name, int dataLength)
    {
        if (name.Length is 0 or > byte.MaxValue)
        {
            throw new ArgumentException("A command name has 1 to 255 letters.", nameof(name));
        }

        int written = ZmtpWriter.WriteHeader(destination, 1 + name.Length + dataLength, ZmtpFlags.Command);
        destination[written++] = (byte)name.Length;
        name.CopyTo(destination[written..]);
        return written + name.Length;
    }

    private static void CheckContext(ReadOnlySpan<byte> context)
    {
        if (context.Length > MaxPingContext)
        {
            throw new ArgumentException("A PING context has at most 16 octets.", nameof(context));
        }
    }
}
