using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Broker.ZeroMq;

/// <summary>
/// The client of CURVE (RFC 26). It sends HELLO, receives WELCOME, sends INITIATE and receives READY.
/// </summary>
internal sealed class CurveClientMechanism : IZmtpMechanism
{
    private readonly CurveKeyPair _keys;
    private readonly CurveKey _serverKey;
    private readonly CurveKeyPair _transient;
    private readonly byte[] _serverTransient = new byte[CurveBoxes.KeySize];
    private readonly byte[] _shared = new byte[CurveBoxes.KeySize];
    private ICurveBox? _box;
    private ulong _sent;
    private ulong _received;

    internal CurveClientMechanism(CurveKeyPair keys, CurveKey serverKey)
    {
        _keys = keys;
        _serverKey = serverKey;
        _transient = CurveKeyPair.Generate(keys.Cryptography);
    }

    /// <inheritdoc/>
    public ReadOnlySpan<byte> Name => "CURVE"u8;

    /// <inheritdoc/>
    public bool AsServer => false;

    /// <inheritdoc/>
    public bool IsCostly => true;

    /// <inheritdoc/>
    public ZmtpCredentials Credentials { get; } = ZmtpCredentials.None;

    /// <inheritdoc/>
    public int MaxOutputSize(int metadataSize)
        => ZmtpCommandWriter.CommandSize("HELLO"u8.Length, CurveLayout.HelloData)
        + ZmtpCommandWriter.CommandSize("INITIATE"u8.Length, CurveLayout.InitiateFixedData + metadataSize);

    /// <inheritdoc/>
    public ZmtpMechanismStep Start(ZmtpPeer peer, ReadOnlySpan<byte> metadata, Span<byte> output)
    {
        Span<byte> hello = stackalloc byte[CurveLayout.HelloData];
        hello.Clear();
        hello[0] = CurveLayout.MajorVersion;
        hello[1] = CurveLayout.MinorVersion;
        Span<byte> at = hello[(2 + CurveLayout.HelloPadding)..];
        _transient.PublicKey.Octets.CopyTo(at);
        at = at[CurveBoxes.KeySize..];
        using ICurveBox? box = _keys.Cryptography.CreateBoxOrNull(_transient.SecretKey, _serverKey.Octets);
        if (box is null)
        {
            return ZmtpMechanismStep.Refuse(ZmtpError.CurveNotGenuine);
        }

        Span<byte> signature = stackalloc byte[CurveLayout.HelloSignature];
        signature.Clear();
        Span<byte> nonce = stackalloc byte[CurveBoxes.NonceSize];
        BinaryPrimitives.WriteUInt64BigEndian(at, ++_sent);
        box.Seal(CurveNonce.Join(CurveNonce.Hello, at[..CurveNonce.ShortSize], nonce), signature, at[CurveNonce.ShortSize..]);
        return new ZmtpMechanismStep(ZmtpCommandWriter.WriteCommand(output, "HELLO"u8, hello), Done: false, ZmtpError.None);
    }

    /// <inheritdoc/>
    public ZmtpMechanismStep OnCommand(in ZmtpCommand command, ZmtpPeer peer, ReadOnlySpan<byte> metadata, Span<byte> output)
        => command.Kind switch
        {
            ZmtpCommandKind.Welcome when _box is null => OnWelcome(command.Data, metadata, output),
            ZmtpCommandKind.Ready when _box is not null => OnReady(command.Data, peer),
            _ => ZmtpMechanismStep.Refuse(ZmtpError.CommandUnexpected),
        };

    /// <inheritdoc/>
    public ZmtpMechanismStep Admit(ReadOnlySpan<byte> metadata, Span<byte> output) => ZmtpMechanismStep.Refuse(ZmtpError.CommandUnexpected);

    /// <inheritdoc/>
    public ZmtpCipher? TakeCipher(ZmtpLimits limits)
    {
        ICurveBox toSeal = _keys.Cryptography.CreateBox(_shared);
        var cipher = new CurveCipher(toSeal, CurveNonce.MessageOfClient, _sent, _box!, CurveNonce.MessageOfServer, _received, limits);
        _box = null;
        return cipher;
    }

    /// <inheritdoc/>
    public void Wipe()
    {
        _box?.Dispose();
        _transient.Wipe();
        CryptographicOperations.ZeroMemory(_shared);
    }

    private ZmtpMechanismStep OnWelcome(ReadOnlySpan<byte> data, ReadOnlySpan<byte> metadata, Span<byte> output)
    {
        if (data.Length != CurveLayout.WelcomeData)
        {
            return ZmtpMechanismStep.Refuse(ZmtpError.CurveMalformed);
        }

        Span<byte> nonce = stackalloc byte[CurveBoxes.NonceSize];
        Span<byte> text = stackalloc byte[CurveLayout.WelcomeText];
        using ICurveBox? box = _keys.Cryptography.CreateBoxOrNull(_transient.SecretKey, _serverKey.Octets);
        if (box is null || !box.TryOpen(CurveNonce.Join(CurveNonce.Welcome, data[..CurveNonce.LongSize], nonce), data[CurveNonce.LongSize..], text))
        {
            return ZmtpMechanismStep.Refuse(ZmtpError.CurveNotGenuine);
        }

        text[..CurveBoxes.KeySize].CopyTo(_serverTransient);
        if (!_keys.Cryptography.TryAgree(_transient.SecretKey, _serverTransient, _shared))
        {
            return ZmtpMechanismStep.Refuse(ZmtpError.CurveNotGenuine);
        }

        _box = _keys.Cryptography.CreateBox(_shared);
        return new ZmtpMechanismStep(WriteInitiate(text[CurveBoxes.KeySize..], metadata, output), Done: false, ZmtpError.None);
    }

    private int WriteInitiate(ReadOnlySpan<byte> cookie, ReadOnlySpan<byte> metadata, Span<byte> output)
    {
        Span<byte> nonce = stackalloc byte[CurveBoxes.NonceSize];
        byte[] text = new byte[CurveLayout.InitiateFixedText + metadata.Length];
        _keys.PublicKey.Octets.CopyTo(text);
        WriteVouch(text.AsSpan(CurveBoxes.KeySize, CurveLayout.Vouch));
        metadata.CopyTo(text.AsSpan(CurveLayout.InitiateFixedText));

        byte[] data = new byte[CurveLayout.InitiateHead + CurveBoxes.TagSize + text.Length];
        cookie.CopyTo(data);
        Span<byte> ending = data.AsSpan(CurveLayout.Cookie, CurveNonce.ShortSize);
        BinaryPrimitives.WriteUInt64BigEndian(ending, ++_sent);
        _box!.Seal(CurveNonce.Join(CurveNonce.Initiate, ending, nonce), text, data.AsSpan(CurveLayout.InitiateHead));
        return ZmtpCommandWriter.WriteCommand(output, "INITIATE"u8, data);
    }

    // The vouch proves that the transient key belongs to the owner of the long-term key. Only the server that answered
    // can read the vouch.
    private void WriteVouch(Span<byte> vouch)
    {
        Span<byte> nonce = stackalloc byte[CurveBoxes.NonceSize];
        Span<byte> text = stackalloc byte[CurveLayout.VouchText];
        _transient.PublicKey.Octets.CopyTo(text);
        _serverKey.Octets.CopyTo(text[CurveBoxes.KeySize..]);
        RandomNumberGenerator.Fill(vouch[..CurveNonce.LongSize]);
        using ICurveBox box = _keys.Cryptography.CreateBoxOrNull(_keys.SecretKey, _serverTransient)!;
        box.Seal(CurveNonce.Join(CurveNonce.Vouch, vouch[..CurveNonce.LongSize], nonce), text, vouch[CurveNonce.LongSize..]);
    }

    private ZmtpMechanismStep OnReady(ReadOnlySpan<byte> data, ZmtpPeer peer)
    {
        if (data.Length < CurveLayout.ReadyFixedData)
        {
            return ZmtpMechanismStep.Refuse(ZmtpError.CurveMalformed);
        }

        ReadOnlySpan<byte> ending = data[..CurveNonce.ShortSize];
        byte[] text = new byte[data.Length - CurveLayout.ReadyFixedData];
        Span<byte> nonce = stackalloc byte[CurveBoxes.NonceSize];
        if (!_box!.TryOpen(CurveNonce.Join(CurveNonce.Ready, ending, nonce), data[CurveNonce.ShortSize..], text))
        {
            return ZmtpMechanismStep.Refuse(ZmtpError.CurveNotGenuine);
        }

        if (!CurveNonce.TryCount(ref _received, ending))
        {
            return ZmtpMechanismStep.Refuse(ZmtpError.CurveNonceRepeated);
        }

        ZmtpError error = peer.ReadMetadata(text);
        return new ZmtpMechanismStep(Written: 0, Done: error == ZmtpError.None, error);
    }
}
