using System.Runtime.InteropServices;

namespace Broker.Cli.Serving;

/// <summary>
/// Turns Ctrl+C, SIGTERM and the closing of a console into a cancelled token. A second Ctrl+C ends the process at once.
/// </summary>
internal sealed class ShutdownSignals : IDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly List<PosixSignalRegistration> _registrations = [];

    public ShutdownSignals()
    {
        foreach (var signal in (ReadOnlySpan<PosixSignal>)[PosixSignal.SIGINT, PosixSignal.SIGTERM, PosixSignal.SIGQUIT])
            _registrations.Add(PosixSignalRegistration.Create(signal, Received));
    }

    public CancellationToken Stop => _stop.Token;

    public void Dispose()
    {
        foreach (var registration in _registrations)
            registration.Dispose();
        _stop.Dispose();
    }

    private void Received(PosixSignalContext context)
    {
        context.Cancel = true;
        if (!_stop.IsCancellationRequested)
            _ = _stop.CancelAsync(); // Not on this thread: what follows is the whole of the stop.
        else if (context.Signal == PosixSignal.SIGINT)
            Environment.Exit(ExitCode.Interrupted);
    }
}
