namespace Broker.ZeroMq;

/// <summary>
/// The client of PLAIN (RFC 24). It sends HELLO, receives WELCOME, sends INITIATE and receives READY.
/// </summary>
internal sealed class PlainClientMechanism(byte[] username, byte[] password) : IZmtpMechanism
{
    private bool _welcomed;

    /// <inheritdoc/>
    public ReadOnlySpan<byte> Name => "PLAIN"u8;

    /// <inheritdoc/>
    public bool AsServer => false;

    /// <inheritdoc/>
    public ZmtpCredentials Credentials { get; } = ZmtpCredentials.None;

    private int HelloSize => 1 + username.Length + 1 + password.Length;

    /// <inheritdoc/>
    public int MaxOutputSize(int metadataSize)
        => ZmtpCommandWriter.CommandSize("HELLO"u8.Length, HelloSize) + ZmtpCommandWriter.CommandSize("INITIATE"u8.Length, metadataSize);

    /// <inheritdoc/>
    public ZmtpMechanismStep Start(ZmtpPeer peer, ReadOnlySpan<byte> metadata, Span<byte> output)
    {
        byte[] hello = [(byte)username.Length, .. username, (byte)password.Length, .. password];
        return new ZmtpMechanismStep(ZmtpCommandWriter.WriteCommand(output, "HELLO"u8, hello), Done: false, ZmtpError.None);
    }

    /// <inheritdoc/>
    public ZmtpMechanismStep OnCommand(in ZmtpCommand command, ZmtpPeer peer, ReadOnlySpan<byte> metadata, Span<byte> output)
    {
        if (command.Kind == ZmtpCommandKind.Welcome && !_welcomed)
        {
            _welcomed = true;
            return command.Data.IsEmpty
                ? new ZmtpMechanismStep(ZmtpCommandWriter.WriteCommand(output, "INITIATE"u8, metadata), Done: false, ZmtpError.None)
                : ZmtpMechanismStep.Refuse(ZmtpError.PlainMalformed);
        }

        if (command.Kind != ZmtpCommandKind.Ready || !_welcomed)
        {
            return ZmtpMechanismStep.Refuse(ZmtpError.CommandUnexpected);
        }

        ZmtpError error = peer.ReadMetadata(command.Data);
        return new ZmtpMechanismStep(Written: 0, Done: error == ZmtpError.None, error);
    }

    /// <inheritdoc/>
    public ZmtpMechanismStep Admit(ReadOnlySpan<byte> metadata, Span<byte> output) => ZmtpMechanismStep.Refuse(ZmtpError.CommandUnexpected);

    /// <inheritdoc/>
    public ZmtpCipher? TakeCipher(ZmtpLimits limits) => null;

    /// <inheritdoc/>
    public void Wipe()
    {
    }
}
