namespace Broker.LoadTest.Clients;

/// <summary>The figures of one client in one round.</summary>
/// <param name="Rate">Messages per second.</param>
/// <param name="Cpu">The CPU time of the client's process for a message, in microseconds.</param>
/// <param name="ServerCpu">The CPU time of the server for a message, in microseconds.</param>
/// <param name="Bytes">The bytes that the client's process has allocated for a message.</param>
internal readonly record struct ClientCost(double Rate, double Cpu, double ServerCpu, double Bytes);
