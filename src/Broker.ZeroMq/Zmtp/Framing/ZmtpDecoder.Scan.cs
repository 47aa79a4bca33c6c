using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Broker.ZeroMq;

internal partial struct ZmtpDecoder
{
    /// <summary>
    /// Takes one message or command from the front of <paramref name="rest"/>. Returns false if decoding cannot
    /// continue: more octets are needed, the handler stopped, or <see cref="_error"/> is set.
    /// </summary>
    private bool DecodeNext<THandler>(ref ReadOnlySpan<byte> rest, ref THandler handler, out int needed, out ZmtpVerdict verdict)
        where THandler : struct, IZmtpFrameHandler, allows ref struct
    {
        needed = 0;
        verdict = ZmtpVerdict.Continue;
        int offset = _scanned;
        int frames = _frames;
        int bodyBytes = _bodyBytes;
        while (!_complete)
        {
            needed = offset + ShortHeaderSize;
            if (needed > rest.Length)
            {
                return Suspend(offset, frames, bodyBytes);
            }

            int flags = rest[offset];
            int header = ShortHeaderSize;
            int length = rest[offset + 1];
            if ((flags & ~(int)ZmtpFlags.More) != 0)
            {
                needed = offset + ZmtpLimits.LongHeaderSize;
                if (!ReadHeader(rest[offset..], betweenMessages: offset == 0, out header, out length))
                {
                    return Suspend(offset, frames, bodyBytes);
                }

                if ((flags & (int)ZmtpFlags.Command) != 0)
                {
                    // The scanned part must be saved before the handler is called, because the handler may refuse the
                    // command for now.
                    Suspend(offset, frames, bodyBytes);
                    bool taken = TakeCommand(ref rest, header, length, ref handler, out needed, out verdict);
                    if (!taken || offset == 0)
                    {
                        return taken;
                    }

                    offset = _scanned;
                    continue;
                }
            }

            if (!Fits(flags, length, frames, bodyBytes))
            {
                return RefuseLimit(length, bodyBytes);
            }

            needed = offset + header + length;
            if (needed > rest.Length)
            {
                return Suspend(offset, frames, bodyBytes);
            }

            offset = needed;
            frames++;
            bodyBytes += length;
            _complete = (flags & (int)ZmtpFlags.More) == 0;
        }

        verdict = handler.OnMessage(new ZmtpMessage(rest[..offset], frames, bodyBytes, _commandBytes));
        return verdict == ZmtpVerdict.Defer ? Suspend(offset, frames, bodyBytes) : Pass(ref rest, offset, verdict);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly bool Fits(int flags, int length, int frames, int bodyBytes)
        => length <= _maxFrameSize
        && length <= _maxMessageSize - bodyBytes - _commandBodyBytes
        && frames + _commands + (flags & (int)ZmtpFlags.More) < _maxFrames;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool Pass(ref ReadOnlySpan<byte> rest, int length, ZmtpVerdict verdict)
    {
        rest = rest[length..];
        ResetMessage();
        return verdict == ZmtpVerdict.Continue;
    }

    /// <summary>Saves how much of the unfinished message was scanned. Always returns false.</summary>
    private bool Suspend(int offset, int frames, int bodyBytes)
    {
        _scanned = offset;
        _frames = frames;
        _bodyBytes = bodyBytes;
        return false;
    }

    /// <summary>
    /// Reads every kind of frame header except the header of a short message frame. Returns false if the header is
    /// incomplete or refused.
    /// </summary>
    private bool ReadHeader(ReadOnlySpan<byte> frame, bool betweenMessages, out int header, out int length)
    {
        header = ShortHeaderSize;
        length = frame[1];
        int flags = frame[0];
        if ((flags & ~(int)(ZmtpFlags.More | ZmtpFlags.Long | ZmtpFlags.Command)) != 0)
        {
            return Refuse(ZmtpError.FrameFlagsReserved);
        }

        if ((flags & (int)(ZmtpFlags.More | ZmtpFlags.Command)) == (int)(ZmtpFlags.More | ZmtpFlags.Command))
        {
            return Refuse(ZmtpError.CommandWithMore);
        }

        bool command = (flags & (int)ZmtpFlags.Command) != 0;
        if ((flags & (int)ZmtpFlags.Long) != 0)
        {
            if (frame.Length < ZmtpLimits.LongHeaderSize)
            {
                return false;
            }

            ulong size = BinaryPrimitives.ReadUInt64BigEndian(frame[1..]);
            if (size > long.MaxValue)
            {
                return Refuse(ZmtpError.FrameLengthInvalid);
            }

            if (size > (uint)(command ? _maxCommandSize : _maxFrameSize))
            {
                return Refuse(command ? ZmtpError.CommandTooLarge : ZmtpError.FrameTooLarge);
            }

            header = ZmtpLimits.LongHeaderSize;
            length = (int)size;
        }
        else if (command && length == 0 && betweenMessages)
        {
            return ReadMislabelledHeader(frame, out header, out length);
        }

        return true;
    }

    /// <summary>
    /// Reads the header of a command that lacks the LONG bit although its length has 8 octets. libzmq 4.3.4 omits the
    /// LONG bit of SUBSCRIBE and CANCEL if the topic alone would fit a short frame (up to 255 octets) but the command
    /// with its name does not. Such a header consists of the flags 04 and an 8-octet length of 256 to 265. A short
    /// command of length 0 has no name and is an error anyway, so the two forms cannot be confused.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool ReadMislabelledHeader(ReadOnlySpan<byte> frame, out int header, out int length)
    {
        const ulong Shortest = 256;
        const ulong Longest = 255 + 10;

        header = ZmtpLimits.LongHeaderSize;
        length = 0;
        ReadOnlySpan<byte> visible = frame[1..Math.Min(frame.Length, ZmtpLimits.LongHeaderSize)];
        if (visible.Length < 8)
        {
            ReadOnlySpan<byte> prefix = [0, 0, 0, 0, 0, 0, 1];
            if (!prefix.StartsWith(visible))
            {
                Refuse(ZmtpError.CommandMalformed);
            }

            return false;
        }

        ulong size = BinaryPrimitives.ReadUInt64BigEndian(visible);
        if (size is < Shortest or > Longest)
        {
            return Refuse(ZmtpError.CommandMalformed);
        }

        if (size > (uint)_maxCommandSize)
        {
            return Refuse(ZmtpError.CommandTooLarge);
        }

        length = (int)size;
        return true;
    }

    private bool TakeCommand<THandler>(
        ref ReadOnlySpan<byte> rest, int header, int length, ref THandler handler, out int needed, out ZmtpVerdict verdict)
        where THandler : struct, IZmtpFrameHandler, allows ref struct
    {
        needed = 0;
        verdict = ZmtpVerdict.Continue;
        int offset = _scanned;
        if (length > _maxCommandSize)
        {
            return Refuse(ZmtpError.CommandTooLarge);
        }

        if (offset != 0 && length > _maxMessageSize - _bodyBytes - _commandBodyBytes)
        {
            return Refuse(ZmtpError.MessageTooLarge);
        }

        // At least one more frame of the message follows.
        if (offset != 0 && _frames + _commands + 1 >= _maxFrames)
        {
            return Refuse(ZmtpError.TooManyFrames);
        }

        int end = offset + header + length;
        if (end > rest.Length)
        {
            needed = end;
            return false;
        }

        if (!ZmtpCommand.TryParse(rest[(offset + header)..end], out ZmtpCommand command))
        {
            return Refuse(ZmtpError.CommandMalformed);
        }

        verdict = handler.OnCommand(command);
        if (verdict is ZmtpVerdict.Defer or ZmtpVerdict.Abort)
        {
            return false;
        }

        if (offset == 0)
        {
            rest = rest[end..];
        }
        else
        {
            _scanned = end;
            _commands++;
            _commandBytes += header + length;
            _commandBodyBytes += length;
        }

        return verdict == ZmtpVerdict.Continue;
    }

    /// <summary>
    /// Refuses a frame that exceeds a limit. A frame with MORE is refused if the frame after it would exceed the limit
    /// of frames.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool RefuseLimit(int length, int bodyBytes)
    {
        if (length > _maxFrameSize)
        {
            return Refuse(ZmtpError.FrameTooLarge);
        }

        return Refuse(length > _maxMessageSize - bodyBytes - _commandBodyBytes ? ZmtpError.MessageTooLarge : ZmtpError.TooManyFrames);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool Refuse(ZmtpError error)
    {
        _error = error;
        return false;
    }
}
