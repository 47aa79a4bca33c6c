using System.Text;

namespace Broker.ZeroMq;

/// <summary>
/// The server of PLAIN (RFC 24). It receives HELLO, sends WELCOME once the application admits the peer, receives
/// INITIATE and sends READY.
/// </summary>
internal sealed class PlainServerMechanism : IZmtpMechanism
{
    private bool _asked;
    private bool _welcomed;

    /// <inheritdoc/>
    public ReadOnlySpan<byte> Name => "PLAIN"u8;

    /// <inheritdoc/>
    public bool AsServer => true;

    /// <inheritdoc/>
    public ZmtpCredentials Credentials { get; private set; } = ZmtpCredentials.None;

    /// <inheritdoc/>
    public int MaxOutputSize(int metadataSize)
        => ZmtpCommandWriter.CommandSize("WELCOME"u8.Length, 0) + ZmtpCommandWriter.CommandSize("READY"u8.Length, metadataSize);

    /// <inheritdoc/>
    public ZmtpMechanismStep Start(ZmtpPeer peer, ReadOnlySpan<byte> metadata, Span<byte> output) => default;

    /// <inheritdoc/>
    public ZmtpMechanismStep OnCommand(in ZmtpCommand command, ZmtpPeer peer, ReadOnlySpan<byte> metadata, Span<byte> output)
    {
        if (command.Kind == ZmtpCommandKind.Hello && !_asked)
        {
            _asked = true;
            return ReadHello(command.Data) ? ZmtpMechanismStep.Ask() : ZmtpMechanismStep.Refuse(ZmtpError.PlainMalformed);
        }

        if (command.Kind != ZmtpCommandKind.Initiate || !_welcomed)
        {
            return ZmtpMechanismStep.Refuse(ZmtpError.CommandUnexpected);
        }

        ZmtpError error = peer.ReadMetadata(command.Data);
        return error == ZmtpError.None
            ? new ZmtpMechanismStep(ZmtpCommandWriter.WriteReady(output, metadata), Done: true, error)
            : ZmtpMechanismStep.Refuse(error);
    }

    /// <inheritdoc/>
    public ZmtpMechanismStep Admit(ReadOnlySpan<byte> metadata, Span<byte> output)
    {
        _welcomed = true;
        Credentials = ZmtpCredentials.None;
        return new ZmtpMechanismStep(ZmtpCommandWriter.WriteCommand(output, "WELCOME"u8, []), Done: false, ZmtpError.None);
    }

    /// <inheritdoc/>
    public ZmtpCipher? TakeCipher(ZmtpLimits limits) => null;

    /// <inheritdoc/>
    public void Wipe() => Credentials = ZmtpCredentials.None;

    // HELLO contains two strings and nothing else. Each string is preceded by its length in one octet.
    private bool ReadHello(ReadOnlySpan<byte> data)
    {
        if (!TryTake(ref data, out ReadOnlySpan<byte> username) || !TryTake(ref data, out ReadOnlySpan<byte> password) || !data.IsEmpty)
        {
            return false;
        }

        Credentials = new ZmtpCredentials { Username = Encoding.UTF8.GetString(username), Password = Encoding.UTF8.GetString(password) };
        return true;
    }

    private static bool TryTake(ref ReadOnlySpan<byte> data, out ReadOnlySpan<byte> text)
    {
        text = default;
        if (data.IsEmpty || data[0] >= data.Length)
        {
            return false;
        }

        text = data.Slice(1, data[0]);
        data = data[(1 + text.Length)..];
        return true;
    }
}
