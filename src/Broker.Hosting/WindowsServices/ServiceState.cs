namespace Broker.Hosting;

/// <summary>The states of SERVICE_STATUS that this service uses.</summary>
internal enum ServiceState : uint
{
    Stopped = 1,
    StartPending = 2,
    StopPending = 3,
    Running = 4,
}
