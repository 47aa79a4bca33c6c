using Broker.Transport;

namespace Broker.Server;

/// <summary>Connects clients of this process that may use the subjects that the dialer reserves.</summary>
internal sealed class ReservedDialer(BrokerServer server, string? user) : ISubjectReservation
{
    private readonly SubjectReservation _reservation = new();

    public ValueTask<Connection> DialAsync(
        EventLoop loop, ConnectionHandler handler, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        server.ThrowIfShuttingDown();
        return ValueTask.FromResult(server.ConnectInProcess(loop, handler, user, _reservation));
    }

    public void SetSubjects(IReadOnlyCollection<string> filters)
    {
        ArgumentNullException.ThrowIfNull(filters);
        _reservation.SetSubjects(filters);
    }

    public void Dispose() => _reservation.SetSubjects([]);
}
