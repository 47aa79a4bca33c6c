namespace Broker.Client;

/// <summary>
/// Called on the connection's event loop when the server has answered a barrier, or when the server was lost before it
/// answered.
/// </summary>
/// <param name="state">The object that was passed with the barrier.</param>
/// <param name="reached">True if the server has answered; false if the server was lost first.</param>
public delegate void BarrierCallback(object? state, bool reached);
