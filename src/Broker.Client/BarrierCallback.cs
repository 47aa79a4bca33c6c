namespace Broker.Client;

/// <summary>
/// Told, on the connection's event loop, that a barrier was reached, or that it never will be because the server was lost.
/// </summary>
/// <param name="state">What was given with the barrier.</param>
/// <param name="reached">Whether the server has answered.</param>
public delegate void BarrierCallback(object? state, bool reached);
