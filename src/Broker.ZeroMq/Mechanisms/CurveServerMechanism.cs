using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Broker.ZeroMq;

/// <summary>
/// The server of CURVE (RFC 26). It receives HELLO, sends WELCOME, receives INITIATE, and sends READY once the
/// application admits the peer.
/// </summary>
/// <remarks>
/// The cookie carries the transient keys of both sides to the client and back. The cookie is encrypted with a key that
/// only this handshake uses. Between WELCOME and INITIATE the server stores nothing but that key. So a cookie is valid
/// only once and only on its own connection, and a recorded handshake is useless on another connection.
/// </remarks>
internal sealed class CurveServerMechanism(CurveKeyPair keys, bool asks) : IZmtpMechanism
{
    private const int Keys = 4;

    // All keys of this handshake in one object; null before HELLO. A thousand handshakes may wait for their next
    // command at once, and the garbage collector's pauses grow with the number of objects.
    private byte[]? _keys;
    private ICurveBox? _box;
    private bool _welcomed;
    private bool _initiated;
    private ulong _sent;
    private ulong _received;

    /// <inheritdoc/>
    public ReadOnlySpan<byte> Name => "CURVE"u8;

    /// <inheritdoc/>
    public bool AsServer => true;

    /// <inheritdoc/>
    public bool IsCostly => true;

    /// <inheritdoc/>
    public ZmtpCredentials Credentials { get; private set; } = ZmtpCredentials.None;

    private Span<byte> CookieKey => Key(0);

    private Span<byte> ClientTransient => Key(1);

    private Span<byte> Transient => Key(2);

    private Span<byte> Shared => Key(3);

    /// <inheritdoc/>
    public int MaxOutputSize(int metadataSize)
        => ZmtpCommandWriter.CommandSize("WELCOME"u8.Length, CurveLayout.WelcomeData)
        + ZmtpCommandWriter.CommandSize("READY"u8.Length, CurveLayout.ReadyFixedData + metadataSize);

    /// <inheritdoc/>
    public ZmtpMechanismStep Start(ZmtpPeer peer, ReadOnlySpan<byte> metadata, Span<byte> output) => default;

    /// <inheritdoc/>
    public ZmtpMechanismStep OnCommand(in ZmtpCommand command, ZmtpPeer peer, ReadOnlySpan<byte> metadata, Span<byte> output)
    {
        if (command.Kind == ZmtpCommandKind.Hello && !_welcomed)
        {
            return OnHello(command.Data, output);
        }

        if (command.Kind != ZmtpCommandKind.Initiate || !_welcomed || _initiated)
        {
            return ZmtpMechanismStep.Refuse(ZmtpError.CommandUnexpected);
        }

        // Only one INITIATE is accepted, because the cookie's key is erased even if the cookie is not genuine.
        _initiated = true;
        ZmtpError error = OnInitiate(command.Data, peer);
        if (error != ZmtpError.None)
        {
            return ZmtpMechanismStep.Refuse(error);
        }

        return asks ? ZmtpMechanismStep.Ask() : Admit(metadata, output);
    }

    /// <inheritdoc/>
    public ZmtpMechanismStep Admit(ReadOnlySpan<byte> metadata, Span<byte> output)
    {
        Span<byte> nonce = stackalloc byte[CurveBoxes.NonceSize];
        byte[] data = new byte[CurveLayout.ReadyFixedData + metadata.Length];
        Span<byte> ending = data.AsSpan(0, CurveNonce.ShortSize);
        BinaryPrimitives.WriteUInt64BigEndian(ending, ++_sent);
        _box!.Seal(CurveNonce.Join(CurveNonce.Ready, ending, nonce), metadata, data.AsSpan(CurveNonce.ShortSize));
        return new ZmtpMechanismStep(ZmtpCommandWriter.WriteReady(output, data), Done: true, ZmtpError.None);
    }

    /// <inheritdoc/>
    public ZmtpCipher? TakeCipher(ZmtpLimits limits)
    {
        ICurveBox toSeal = keys.Cryptography.CreateBox(Shared);
        var cipher = new CurveCipher(toSeal, CurveNonce.MessageOfServer, _sent, _box!, CurveNonce.MessageOfClient, _received, limits);
        _box = null;
        return cipher;
    }

    /// <inheritdoc/>
    public void Wipe()
    {
        _box?.Dispose();
        CryptographicOperations.ZeroMemory(_keys);
    }

    private Span<byte> Key(int index) => _keys.AsSpan(index * CurveBoxes.KeySize, CurveBoxes.KeySize);

    private ZmtpMechanismStep OnHello(ReadOnlySpan<byte> data, Span<byte> output)
    {
        if (data.Length != CurveLayout.HelloData || data[0] != CurveLayout.MajorVersion || data[1] != CurveLayout.MinorVersion)
        {
            return ZmtpMechanismStep.Refuse(ZmtpError.CurveMalformed);
        }

        ReadOnlySpan<byte> clientTransient = data.Slice(2 + CurveLayout.HelloPadding, CurveBoxes.KeySize);
        ReadOnlySpan<byte> signed = data[(2 + CurveLayout.HelloPadding + CurveBoxes.KeySize)..];
        ReadOnlySpan<byte> ending = signed[..CurveNonce.ShortSize];
        Span<byte> nonce = stackalloc byte[CurveBoxes.NonceSize];
        Span<byte> signature = stackalloc byte[CurveLayout.HelloSignature];
        using ICurveBox? box = keys.Cryptography.CreateBoxOrNull(keys.SecretKey, clientTransient);
        if (box is null || !box.TryOpen(CurveNonce.Join(CurveNonce.Hello, ending, nonce), signed[CurveNonce.ShortSize..], signature)
            || signature.ContainsAnyExcept((byte)0))
        {
            return ZmtpMechanismStep.Refuse(ZmtpError.CurveNotGenuine);
        }

        if (!CurveNonce.TryCount(ref _received, ending))
        {
            return ZmtpMechanismStep.Refuse(ZmtpError.CurveNonceRepeated);
        }

        _welcomed = true;
        _keys = new byte[Keys * CurveBoxes.KeySize];
        Span<byte> welcome = stackalloc byte[CurveLayout.WelcomeData];
        WriteWelcome(box, clientTransient, welcome);
        return new ZmtpMechanismStep(ZmtpCommandWriter.WriteCommand(output, "WELCOME"u8, welcome), Done: false, ZmtpError.None);
    }

    private void WriteWelcome(ICurveBox box, ReadOnlySpan<byte> clientTransient, Span<byte> welcome)
    {
        Span<byte> nonce = stackalloc byte[CurveBoxes.NonceSize];
        Span<byte> text = stackalloc byte[CurveLayout.WelcomeText];
        Span<byte> cookieText = stackalloc byte[CurveLayout.CookieText];
        clientTransient.CopyTo(cookieText);
        RandomNumberGenerator.Fill(cookieText[CurveBoxes.KeySize..]);
        keys.Cryptography.GetPublicKey(cookieText[CurveBoxes.KeySize..], text);

        RandomNumberGenerator.Fill(CookieKey);
        Span<byte> cookie = text[CurveBoxes.KeySize..];
        RandomNumberGenerator.Fill(cookie[..CurveNonce.LongSize]);
        using ICurveBox lockedByUs = keys.Cryptography.CreateBox(CookieKey);
        lockedByUs.Seal(
            CurveNonce.Join(CurveNonce.Cookie, cookie[..CurveNonce.LongSize], nonce), cookieText, cookie[CurveNonce.LongSize..]);
        CryptographicOperations.ZeroMemory(cookieText);

        RandomNumberGenerator.Fill(welcome[..CurveNonce.LongSize]);
        box.Seal(CurveNonce.Join(CurveNonce.Welcome, welcome[..CurveNonce.LongSize], nonce), text, welcome[CurveNonce.LongSize..]);
    }

    private ZmtpError OnInitiate(ReadOnlySpan<byte> data, ZmtpPeer peer)
    {
        if (data.Length < CurveLayout.InitiateFixedData)
        {
            return ZmtpError.CurveMalformed;
        }

        ReadOnlySpan<byte> ending = data.Slice(CurveLayout.Cookie, CurveNonce.ShortSize);
        ReadOnlySpan<byte> sealedText = data[CurveLayout.InitiateHead..];
        Span<byte> nonce = stackalloc byte[CurveBoxes.NonceSize];
        byte[] text = new byte[sealedText.Length - CurveBoxes.TagSize];
        if (!TryOpenCookie(data[..CurveLayout.Cookie])
            || !keys.Cryptography.TryAgree(Transient, ClientTransient, Shared)
            || !(_box = keys.Cryptography.CreateBox(Shared)).TryOpen(CurveNonce.Join(CurveNonce.Initiate, ending, nonce), sealedText, text)
            || !IsVouchedFor(text.AsSpan(0, CurveBoxes.KeySize), text.AsSpan(CurveBoxes.KeySize, CurveLayout.Vouch)))
        {
            return ZmtpError.CurveNotGenuine;
        }

        if (!CurveNonce.TryCount(ref _received, ending))
        {
            return ZmtpError.CurveNonceRepeated;
        }

        Credentials = new ZmtpCredentials { PublicKey = text[..CurveBoxes.KeySize] };
        return peer.ReadMetadata(text.AsSpan(CurveLayout.InitiateFixedText));
    }

    private bool TryOpenCookie(ReadOnlySpan<byte> cookie)
    {
        Span<byte> nonce = stackalloc byte[CurveBoxes.NonceSize];
        Span<byte> text = stackalloc byte[CurveLayout.CookieText];
        using ICurveBox box = keys.Cryptography.CreateBox(CookieKey);
        CryptographicOperations.ZeroMemory(CookieKey);
        if (!box.TryOpen(CurveNonce.Join(CurveNonce.Cookie, cookie[..CurveNonce.LongSize], nonce), cookie[CurveNonce.LongSize..], text))
        {
            return false;
        }

        text[..CurveBoxes.KeySize].CopyTo(ClientTransient);
        text[CurveBoxes.KeySize..].CopyTo(Transient);
        CryptographicOperations.ZeroMemory(text);
        return true;
    }

    // The vouch proves that the owner of the long-term key also owns the transient key and wants to reach this server.
    private bool IsVouchedFor(ReadOnlySpan<byte> clientKey, ReadOnlySpan<byte> vouch)
    {
        Span<byte> nonce = stackalloc byte[CurveBoxes.NonceSize];
        Span<byte> text = stackalloc byte[CurveLayout.VouchText];
        using ICurveBox? box = keys.Cryptography.CreateBoxOrNull(Transient, clientKey);
        return box is not null
            && box.TryOpen(CurveNonce.Join(CurveNonce.Vouch, vouch[..CurveNonce.LongSize], nonce), vouch[CurveNonce.LongSize..], text)
            && text[..CurveBoxes.KeySize].SequenceEqual(ClientTransient)
            && text[CurveBoxes.KeySize..].SequenceEqual(keys.PublicKey.Octets);
    }
}
