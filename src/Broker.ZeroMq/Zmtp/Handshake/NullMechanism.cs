namespace Broker.ZeroMq;

/// <summary>The NULL mechanism (RFC 37): each side sends READY, without authentication or encryption.</summary>
/// <remarks>
/// The side that connects sends READY first. The side that binds sends READY only when it accepts the peer (RFC 37), so
/// that a refused peer does not consider itself connected. To a peer of ZMTP 3.0, the side that binds sends READY at
/// once, because in ZMTP 3.0 each side sends before it receives (RFC 23).
/// </remarks>
/// <param name="asks">Whether the application is asked to admit the peer.</param>
/// <param name="binds">Whether the peer connected to this side.</param>
internal sealed class NullMechanism(bool asks = false, bool binds = false) : IZmtpMechanism
{
    private bool _answers;

    /// <inheritdoc/>
    public ReadOnlySpan<byte> Name => "NULL"u8;

    /// <inheritdoc/>
    public bool AsServer => false;

    /// <inheritdoc/>
    public bool AllowsVersion2 => !asks;

    /// <inheritdoc/>
    public ZmtpCredentials Credentials { get; } = ZmtpCredentials.None;

    /// <inheritdoc/>
    public int MaxOutputSize(int metadataSize) => ZmtpCommandWriter.CommandSize("READY"u8.Length, metadataSize);

    /// <inheritdoc/>
    public ZmtpMechanismStep Start(ZmtpPeer peer, ReadOnlySpan<byte> metadata, Span<byte> output)
    {
        _answers = binds && peer.IsOf31;
        return _answers ? default : new ZmtpMechanismStep(ZmtpCommandWriter.WriteReady(output, metadata), Done: false, ZmtpError.None);
    }

    /// <inheritdoc/>
    public ZmtpMechanismStep OnCommand(in ZmtpCommand command, ZmtpPeer peer, ReadOnlySpan<byte> metadata, Span<byte> output)
    {
        if (command.Kind != ZmtpCommandKind.Ready)
        {
            return new ZmtpMechanismStep(Written: 0, Done: false, ZmtpError.CommandUnexpected);
        }

        ZmtpError error = peer.ReadMetadata(command.Data);
        if (error != ZmtpError.None)
        {
            return ZmtpMechanismStep.Refuse(error);
        }

        return asks ? ZmtpMechanismStep.Ask() : Admit(metadata, output);
    }

    /// <inheritdoc/>
    public ZmtpMechanismStep Admit(ReadOnlySpan<byte> metadata, Span<byte> output)
        => new(_answers ? ZmtpCommandWriter.WriteReady(output, metadata) : 0, Done: true, ZmtpError.None);

    /// <inheritdoc/>
    public ZmtpCipher? TakeCipher(ZmtpLimits limits) => null;

    /// <inheritdoc/>
    public void Wipe()
    {
    }
}
