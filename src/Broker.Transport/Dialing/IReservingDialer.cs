namespace Broker.Transport;

/// <summary>
/// A dialer that can reserve subjects for some of its connections, because the server is in the same process.
/// </summary>
public interface IReservingDialer : IDialer
{
    /// <summary>Creates another dialer to the same server, for the clients that may use reserved subjects.</summary>
    ISubjectReservation Reserve();
}
