namespace Broker.HostileRun;

/// <summary>A run cannot continue, for a reason that its text tells.</summary>
internal sealed class RunException(string message) : Exception(message);
