using System.Runtime.InteropServices;

namespace Broker.Cli.Shell;

/// <summary>Ctrl+C and SIGTERM as a token. A second one ends the process at once.</summary>
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

        // Not on the thread of signals, which has the next one to take.
        _ = _stop.CancelAsync();
    }
}
