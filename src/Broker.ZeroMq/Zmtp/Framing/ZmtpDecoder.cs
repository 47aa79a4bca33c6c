using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.ZeroMq;

/// <summary>
/// Finds the messages and commands in the octets that one peer sent after the greeting (RFC 37, "Framing"). The decoder
/// works in place and allocates nothing.
/// </summary>
/// <remarks>
/// <para>
/// The decoder consumes a message only when its last frame has arrived. So a handler gets whole messages, and nothing
/// must be undone if a peer disconnects in the middle of a message. The caller keeps the unconsumed octets and passes
/// them again at the start of the next input. The decoder remembers how many octets it has scanned, so it scans each
/// frame of a long message once, even if the message arrives in small parts.
/// </para>
/// <para>
/// Lengths are checked against <see cref="ZmtpLimits"/> as soon as the header is complete, before any octet of the body
/// is requested. After a refused header, every further call fails.
/// </para>
/// <para>
/// The grammar of RFC 37 does not allow commands inside a multipart message, but libzmq 4.3.4 writes PONG and PING
/// between the frames of a message that it is still sending (of 382 PONGs that were requested during a transfer of
/// seven-frame messages, 325 came inside a message). The decoder delivers such commands at once and counts them towards
/// the limits of the surrounding message.
/// </para>
/// <para>
/// This is a mutable struct: keep it in a field of the connection and do not copy it. It is for one thread at a time.
/// </para>
/// </remarks>
[StructLayout(LayoutKind.Auto)]
internal partial struct ZmtpDecoder
{
    private const int ShortHeaderSize = 2;

    private readonly int _maxFrameSize;
    private readonly int _maxMessageSize;
    private readonly int _maxFrames;
    private readonly int _maxCommandSize;

    // Whether the limits allow every message of one or two short frames, so that such messages need no check.
    private readonly bool _shortFramesFit;

    // The scanned part of an unfinished message. Offsets count from the first unconsumed octet.
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

    /// <summary>
    /// The number of octets at the start of an unfinished or refused message that were scanned. The commands in that
    /// part were delivered.
    /// </summary>
    internal readonly int Scanned => _scanned;

    /// <summary>
    /// Delivers every complete message and command at the start of <paramref name="input"/> to <paramref
    /// name="handler"/>.
    /// </summary>
    /// <param name="input">
    /// The received octets that were not consumed yet. They begin with the rest that the previous call left.
    /// </param>
    /// <param name="handler">The receiver of messages and commands.</param>
    // The method is optimized before its first call. Otherwise the runtime would optimize it only after many calls, and
    // calls with thousands of messages would run unoptimized code for seconds.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public ZmtpDecodeResult Decode<THandler>(ReadOnlySpan<byte> input, ref THandler handler)
        where THandler : struct, IZmtpFrameHandler, allows ref struct
    {
        if (_error != ZmtpError.None)
        {
            return new ZmtpDecodeResult(Consumed: 0, Needed: 0, _error, Paused: false);
        }

        ReadOnlySpan<byte> rest = input;
        while (true)
        {
            // Messages of one or two short frames are the common case, in which a nanosecond counts.
            while (_scanned == 0 && _shortFramesFit && IsShortMessage(rest, out int frames, out int bodySize))
            {
                // The message is built here, because an out argument would be copied through memory once more.
                int size = bodySize + (frames * ShortHeaderSize);
                ZmtpVerdict verdict = handler.OnMessage(new ZmtpMessage(rest[..size], frames, bodySize, commandBytes: 0));
                if (verdict != ZmtpVerdict.Continue)
                {
                    return Stop(verdict, input.Length - rest.Length, size);
                }

                rest = rest[size..];
            }

            if (!DecodeNext(ref rest, ref handler, out int needed, out ZmtpVerdict stopped))
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
    private void ResetMessage()
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
