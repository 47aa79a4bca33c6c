using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.ZeroMq.Zmtp.Framing;

/// <summary>
/// Finds the messages and commands in what one peer sent after the greeting (RFC 37, "Framing"), in place and without allocation.
/// </summary>
/// <remarks>
/// <para>
/// A message is consumed only when its last frame has arrived, so a handler sees whole messages and a peer that dies in the middle of
/// one leaves nothing to undo. The caller keeps the unconsumed octets and presents them again at the start of the next input; the
/// decoder remembers how far it has looked, so that the frames of a long message are walked once however it trickles in.
/// </para>
/// <para>
/// Lengths are checked against <see cref="ZmtpLimits"/> when the header is visible, before any body is asked for. A header that is
/// refused makes the decoder fail for good.
/// </para>
/// <para>
/// Commands inside a multipart message are outside the grammar of RFC 37, yet libzmq 4.3.4 writes PONG and PING between the frames of a
/// message it is still sending (of 382 PONGs asked for during a transfer of seven-frame messages, 325 came inside one). They are handed
/// over as they are found and count towards the limits of the message around them.
/// </para>
/// <para>A mutable struct: keep it in a field of the connection and do not copy it. One thread at a time.</para>
/// </remarks>
[StructLayout(LayoutKind.Auto)]
internal partial struct ZmtpDecoder
{
    private const int ShortHeaderSize = 2;

    private readonly int _maxFrameSize;
    private readonly int _maxMessageSize;
    private readonly int _maxFrames;
    private readonly int _maxCommandSize;

    // No limit can refuse a message of one or two short frames, so those need no check.
    private readonly bool _shortFramesFit;

    // The part of an unfinished message that has been looked at. Offsets count from the first unconsumed octet.
    private int _scanned;
    private int _frames;
    private int _bodyBytes;
    private int _commands;
    private int _commandBytes;
    private int _commandBodyBytes;
    private bool _complete;
    private ZmtpError _error;

    /// <summary>Creates a decoder for one peer.</summary>
    public ZmtpDecoder(ZmtpLimits limits)
    {
        ArgumentNullException.ThrowIfNull(limits);
        _maxFrameSize = limits.MaxFrameSize;
        _maxMessageSize = limits.MaxMessageSize;
        _maxFrames = limits.MaxFrames;
        _maxCommandSize = limits.MaxCommandSize;
        _shortFramesFit = _maxFrameSize >= byte.MaxValue && _maxMessageSize >= 2 * byte.MaxValue && _maxFrames >= 2;
    }

    /// <summary>How much of an unfinished or held message, from its front on, has been looked at: the commands in there have been handed over.</summary>
    internal readonly int Scanned => _scanned;

    /// <summary>
    /// Hands every complete message and command at the start of <paramref name="input"/> to <paramref name="handler"/>.
    /// </summary>
    /// <param name="input">What was received and not consumed yet, beginning with what the previous call left.</param>
    /// <param name="handler">The receiver of messages and commands.</param>
    // Optimized at once: the runtime counts calls, and one call with thousands of messages would run as it came for seconds.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public ZmtpDecodeResult Decode<THandler>(ReadOnlySpan<byte> input, ref THandler handler)
        where THandler : struct, IZmtpFrameHandler, allows ref struct
    {
        if (_error != ZmtpError.None)
        {
            return new ZmtpDecodeResult(Consumed: 0, Needed: 0, _error, Paused: false);
        }

        var rest = input;
        while (true)
        {
            // Messages of one or two short frames: the common case, and the one where a nanosecond counts.
            while (_scanned == 0 && _shortFramesFit && IsShortMessage(rest, out int frames, out int bodySize))
            {
                // Built here, not in there: an out argument would be copied through memory once more.
                int size = bodySize + (frames * ShortHeaderSize);
                var verdict = handler.OnMessage(new ZmtpMessage(rest[..size], frames, bodySize, commandBytes: 0));
                if (verdict != ZmtpVerdict.Continue)
                {
                    return Stop(verdict, input.Length - rest.Length, size);
                }

                rest = rest[size..];
            }

            if (!DecodeNext(ref rest, ref handler, out int needed, out var stopped))
            {
                return stopped == ZmtpVerdict.Continue
                    ? new ZmtpDecodeResult(input.Length - rest.Length, _error == ZmtpError.None ? needed : 0, _error, Paused: false)
                    : Stop(stopped, input.Length - rest.Length, size: 0);
            }
        }
    }

    /// <summary>Whether a complete message of one or two short frames is next.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool IsShortMessage(ReadOnlySpan<byte> rest, out int frames, out int bodySize)
    {
        frames = 1;
        bodySize = 0;
        if (rest.Length < ShortHeaderSize || rest[0] > (byte)ZmtpFlags.More)
        {
            return false;
        }

        bodySize = rest[1];
        if (rest[0] != 0)
        {
            int second = ShortHeaderSize + bodySize;
            if (rest.Length - second < ShortHeaderSize || rest[second] != 0)
            {
                return false;
            }

            bodySize += rest[second + 1];
            frames = 2;
        }

        return bodySize + (frames * ShortHeaderSize) <= rest.Length;
    }

    private ZmtpDecodeResult Stop(ZmtpVerdict verdict, int consumed, int size)
    {
        if (verdict == ZmtpVerdict.Abort)
        {
            _error = ZmtpError.Aborted;
            return new ZmtpDecodeResult(consumed, Needed: 0, _error, Paused: false);
        }

        return new ZmtpDecodeResult(verdict == ZmtpVerdict.Pause ? consumed + size : consumed, Needed: 0, ZmtpError.None, Paused: true);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void ForgetMessage()
    {
        _scanned = 0;
        _frames = 0;
        _bodyBytes = 0;
        _commands = 0;
        _commandBytes = 0;
        _commandBodyBytes = 0;
        _complete = false;
    }
}
