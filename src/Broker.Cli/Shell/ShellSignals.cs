using System.Runtime.InteropServices;

namespace Broker.Cli.Shell;

/// <summary>Cancels a token on Ctrl+C and SIGTERM. A second signal ends the process at once.</summary>
internal sealed class ShellSignals : IDisposable
{
    private readonly CancellationTokenSource _stop;
    private readonly PosixSignalRegistration[] _registrations;

    public ShellSignals(CancellationToken cancellationToken)
    {
        _stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        _registrations =
        [
            PosixSignalRegistration.Create(PosixSignal.SIGINT, OnSignal),
            PosixSignalRegistration.Create(PosixSignal.SIGTERM, OnSignal),
        ];
    }

    public CancellationToken Stop => _stop.Token;

    public void Dispose()
    {
        foreach (PosixSignalRegistration registration in _registrations)
        {
            registration.Dispose();
        }

        _stop.Dispose();
    }

    private void OnSignal(PosixSignalContext context)
    {
        context.Cancel = true;
        if (_stop.IsCancellationRequested)
        {
            Environment.Exit(ExitCode.Interrupted);
        }

        // Cancels on another thread, because the thread of signals must be free for the next signal.
        _ = _stop.CancelAsync();
    }
}
