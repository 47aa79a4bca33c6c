namespace Broker.ZeroMq;

/// <summary>
/// An encoder that can return the first frame of its message, in which a ROUTER finds the routing id.
/// </summary>
internal interface IRoutableEncoder : IZmtpEncoder
{
    /// <summary>Gets the body of the first frame. Returns false if no frame follows the first frame.</summary>
    bool TryGetAddress(out ReadOnlySpan<byte> address);
}
