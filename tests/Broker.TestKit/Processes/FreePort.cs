namespace Broker.TestKit.Processes;

/// <summary>Ports for programs that need a fixed port.</summary>
public static class FreePort
{
    /// <summary>Returns a free port.</summary>
    public static int Next() => PortSequence.Next();

    /// <summary>Returns a ZeroMQ address with a free port.</summary>
    public static string NextAddress() => $"tcp://127.0.0.1:{Next()}";
}
