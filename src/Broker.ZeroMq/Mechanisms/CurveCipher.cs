using System.Buffers.Binary;

namespace Broker.ZeroMq;

/// <summary>
/// Encrypts every frame of a message or command as one MESSAGE of CURVE (RFC 26, "MESSAGE Command"). A MESSAGE consists
/// of its name, a counter, an authenticator, the encrypted flags and the encrypted body.
/// </summary>
/// <remarks>
/// RFC 26 calls MESSAGE a command. This class writes a MESSAGE without the COMMAND bit, as libzmq and related
/// implementations do. It reads a MESSAGE with or without the bit.
/// </remarks>
internal sealed class CurveCipher : ZmtpCipher
{
    private const byte InnerMore = 1;
    private const byte InnerCommand = 2;
    private const int ShortHeader = 2;
    private const int TagOffset = 8 + CurveNonce.ShortSize;

    // The octets of a MESSAGE besides the body: its name, the counter, the authenticator and the encrypted flags.
    private const int Overhead = TagOffset + CurveBoxes.TagSize + 1;

    private readonly ICurveBox _toSeal;
    private readonly ICurveBox _toOpen;
    private readonly byte[] _sealNonce = new byte[CurveBoxes.NonceSize];
    private readonly byte[] _openNonce = new byte[CurveBoxes.NonceSize];
    private readonly long _longest;
    private bool _isTooLarge;
    private ulong _sent;
    private ulong _received;

    // The frame that is being read: its header, and how many octets of header and body were copied.
    private readonly byte[] _header = new byte[ZmtpWriter.MaxHeaderSize];
    private int _headerSize;
    private int _read;

    /// <param name="toSeal">A box with the connection's key, for this cipher only.</param>
    /// <param name="sealText">The beginning of this side's nonces.</param>
    /// <param name="sent">The counter of this side's last command.</param>
    /// <param name="toOpen">Another box with the same key.</param>
    /// <param name="openText">The beginning of the peer's nonces.</param>
    /// <param name="received">The counter of the peer's last command.</param>
    /// <param name="limits">The limits on what the peer may send.</param>
    internal CurveCipher(
        ICurveBox toSeal, ReadOnlySpan<byte> sealText, ulong sent, ICurveBox toOpen, ReadOnlySpan<byte> openText, ulong received, ZmtpLimits limits)
    {
        _toSeal = toSeal;
        _toOpen = toOpen;
        sealText.CopyTo(_sealNonce);
        openText.CopyTo(_openNonce);
        _sent = sent;
        _received = received;
        _longest = (long)Math.Max(limits.MaxFrameSize, limits.MaxCommandSize) + Overhead;
    }

    private static ReadOnlySpan<byte> Name => "\u0007MESSAGE"u8;

    /// <inheritdoc/>
    public override int MeasurePlaintext(ReadOnlySpan<byte> written, out int recordSize)
    {
        Split(written, out int header, out int length);
        recordSize = checked(ZmtpWriter.FrameSize(length + Overhead));
        return header + length;
    }

    /// <inheritdoc/>
    public override void Seal(ReadOnlySpan<byte> plaintext, Span<byte> record)
    {
        Split(plaintext, out int header, out int length);
        int at = ZmtpWriter.WriteHeader(record, length + Overhead, ZmtpFlags.None);
        Span<byte> message = record[at..];
        Name.CopyTo(message);
        BinaryPrimitives.WriteUInt64BigEndian(message[Name.Length..], ++_sent);
        message.Slice(Name.Length, CurveNonce.ShortSize).CopyTo(_sealNonce.AsSpan(CurveNonce.Hello.Length));

        Span<byte> encrypted = message[(TagOffset + CurveBoxes.TagSize)..];
        _toSeal.Begin(_sealNonce);
        _toSeal.Transform([InnerFlags((ZmtpFlags)plaintext[0])], encrypted[..1]);
        _toSeal.Transform(plaintext[header..], encrypted[1..]);
        _toSeal.Authenticate(encrypted);
        _toSeal.GetTag(message.Slice(TagOffset, CurveBoxes.TagSize));
    }

    /// <inheritdoc/>
    public override int MeasureRecord(ReadOnlySpan<byte> received)
    {
        if (_isTooLarge)
        {
            // The decoder refuses the frame because of its announced size, so nothing after the frame's header is read.
            return received.Length + 1;
        }

        if (received.Length < ShortHeader)
        {
            return ShortHeader;
        }

        var flags = (ZmtpFlags)received[0];
        if ((flags & ~(ZmtpFlags.Long | ZmtpFlags.Command)) != ZmtpFlags.None)
        {
            return Refuse(ZmtpError.NotEncrypted);
        }

        ulong length = received[1];
        int header = ShortHeader;
        if ((flags & ZmtpFlags.Long) != ZmtpFlags.None)
        {
            header = ZmtpWriter.MaxHeaderSize;
            if (received.Length < header)
            {
                return header;
            }

            length = BinaryPrimitives.ReadUInt64BigEndian(received[1..]);
        }

        if (length < Overhead)
        {
            return Refuse(ZmtpError.NotEncrypted);
        }

        if (length <= (ulong)_longest)
        {
            return header + (long)length > Array.MaxLength ? Refuse(ZmtpError.FrameTooLarge) : header + (int)length;
        }

        // Return only the header, as the header of an unencrypted frame of that size. The socket then refuses the frame
        // like an unencrypted one: it counts the frame and sends the reason to the peer.
        _isTooLarge = true;
        _headerSize = ZmtpWriter.WriteHeader(_header, (int)Math.Min(length - Overhead, int.MaxValue), ZmtpFlags.None);
        _read = 0;
        return header;
    }

    /// <inheritdoc/>
    public override int Open(ReadOnlySpan<byte> record)
    {
        if (_isTooLarge)
        {
            return _headerSize;
        }

        ReadOnlySpan<byte> message = record[HeaderOf(record)..];
        if (!message.StartsWith(Name))
        {
            return Refuse(ZmtpError.NotEncrypted);
        }

        ReadOnlySpan<byte> ending = message.Slice(Name.Length, CurveNonce.ShortSize);
        ReadOnlySpan<byte> encrypted = message[(TagOffset + CurveBoxes.TagSize)..];
        ending.CopyTo(_openNonce.AsSpan(CurveNonce.Hello.Length));
        _toOpen.Begin(_openNonce);
        if (!_toOpen.IsGenuine(message.Slice(TagOffset, CurveBoxes.TagSize), encrypted))
        {
            return Refuse(ZmtpError.CurveNotGenuine);
        }

        // The authenticator was checked before, so a forged record cannot change the counter.
        if (!CurveNonce.TryCount(ref _received, ending))
        {
            return Refuse(ZmtpError.CurveNonceRepeated);
        }

        Span<byte> inner = stackalloc byte[1];
        _toOpen.Transform(encrypted[..1], inner);
        if (inner[0] > InnerCommand)
        {
            return Refuse(ZmtpError.FrameFlagsReserved);
        }

        ZmtpFlags flags = inner[0] == InnerMore ? ZmtpFlags.More : inner[0] == InnerCommand ? ZmtpFlags.Command : ZmtpFlags.None;
        _headerSize = ZmtpWriter.WriteHeader(_header, encrypted.Length - 1, flags);
        _read = 0;
        return _headerSize + encrypted.Length - 1;
    }

    /// <inheritdoc/>
    public override void Read(ReadOnlySpan<byte> record, Span<byte> destination)
    {
        if (_read < _headerSize)
        {
            int count = Math.Min(_headerSize - _read, destination.Length);
            _header.AsSpan(_read, count).CopyTo(destination);
            _read += count;
            destination = destination[count..];
        }

        if (destination.IsEmpty)
        {
            return;
        }

        int at = HeaderOf(record) + Overhead + _read - _headerSize;
        _toOpen.Transform(record.Slice(at, destination.Length), destination);
        _read += destination.Length;
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        _toSeal.Dispose();
        _toOpen.Dispose();
    }

    private static byte InnerFlags(ZmtpFlags flags)
        => (byte)(((flags & ZmtpFlags.More) != ZmtpFlags.None ? InnerMore : 0) | ((flags & ZmtpFlags.Command) != ZmtpFlags.None ? InnerCommand : 0));

    private static int HeaderOf(ReadOnlySpan<byte> frame)
        => ((ZmtpFlags)frame[0] & ZmtpFlags.Long) == ZmtpFlags.None ? ShortHeader : ZmtpWriter.MaxHeaderSize;

    private static void Split(ReadOnlySpan<byte> frame, out int header, out int length)
    {
        header = HeaderOf(frame);
        length = header == ShortHeader ? frame[1] : (int)BinaryPrimitives.ReadInt64BigEndian(frame[1..]);
    }

    private int Refuse(ZmtpError error)
    {
        Error = error;
        return -1;
    }
}
