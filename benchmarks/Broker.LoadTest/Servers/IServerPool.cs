namespace Broker.LoadTest.Servers;

/// <summary>Where measurements get their server from: one that stays up, or a fresh one each.</summary>
internal interface IServerPool : IDisposable
{
    /// <summary>Throws <see cref="Driver.DriverException"/> if the server does not start or has died.</summary>
    ServerProcess Acquire(ServerCommand command);

    void Release(ServerProcess server);
}
