using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Zmtp.Handshake;

/// <summary>The NULL mechanism (RFC 37): each side sends READY, no authentication, no encryption.</summary>
/// <remarks>
/// RFC 37 lets the client send READY first; like libzmq, both sides here send it as soon as they have the other's greeting, which needs
/// no roles and saves a round trip.
/// </remarks>
/// <param name="asks">Whether the application is asked to admit the peer.</param>
internal sealed class NullMechanism(bool asks = false) : IZmtpMechanism
{
    /// <inheritdoc/>
    public ReadOnlySpan<byte> Name => "NULL"u8;

    /// <inheritdoc/>
    public bool AsServer => false;

    /// <inheritdoc/>
    public bool AllowsVersion2 => !asks;

    /// <inheritdoc/>
    public ZmtpCredentials Credentials { get; } = new();

    /// <inheritdoc/>
    public int MaxOutputSize(int metadataSize) => ZmtpCommandWriter.CommandSize("READY"u8.Length, metadataSize);

    /// <inheritdoc/>
    public ZmtpMechanismStep Start(ReadOnlySpan<byte> metadata, Span<byte> output) =>
        new(ZmtpCommandWriter.WriteReady(output, metadata), Done: false, ZmtpError.None);

    /// <inheritdoc/>
    public ZmtpMechanismStep OnCommand(in ZmtpCommand command, ZmtpPeer peer, ReadOnlySpan<byte> metadata, Span<byte> output)
    {
        if (command.Kind != ZmtpCommandKind.Ready)
        {
            return new ZmtpMechanismStep(Written: 0, Done: false, ZmtpError.CommandUnexpected);
        }

        var error = peer.ReadMetadata(command.Data);
        return new ZmtpMechanismStep(Written: 0, Done: error == ZmtpError.None && !asks, error, asks);
    }

    /// <inheritdoc/>
    public ZmtpMechanismStep Admit(ReadOnlySpan<byte> metadata, Span<byte> output) => new(Written: 0, Done: true, ZmtpError.None);

    /// <inheritdoc/>
    public ZmtpCipher? TakeCipher(ZmtpLimits limits) => null;

    /// <inheritdoc/>
    public void Wipe()
    {
    }
}
