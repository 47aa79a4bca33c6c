namespace Broker.ZeroMq;

/// <summary>
/// An encoder that can return the first frame of its message, in which a ROUTER finds the routing id.
/// </summary>
internal interface IRoutableEncoder : IZmtpEncoder
{
    /// <summary>Returns the body of the first frame. False if no frame follows it.</summary>
    bool TryGetAddress(out ReadOnlySpan<byte> address);
}
