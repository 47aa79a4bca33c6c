namespace Broker.Transport;

/// <summary>
/// A dialer to a server in the same process. It can reserve subjects for some of the connections to this server.
/// </summary>
public interface IReservingDialer : IDialer
{
    /// <summary>
    /// Creates another dialer to the same server, for the clients that may use the reserved subjects.
    /// </summary>
    ISubjectReservation Reserve();
}
