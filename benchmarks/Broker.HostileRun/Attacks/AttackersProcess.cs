using System.Globalization;
using Broker.HostileRun.Site;

namespace Broker.HostileRun.Attacks;

/// <summary>
/// The attackers in a process of their own, so that they do not disturb the clock of the honest clients.
/// </summary>
internal sealed class AttackersProcess : ChildProcess
{
    public const string Command = "attack";
    public const string KindsOption = "--kinds";

    private static readonly TimeSpan EndLimit = TimeSpan.FromMinutes(1);

    // Guarded by itself.
    private readonly Dictionary<string, long> _counts = [];

    public AttackersProcess(SiteFiles files, IReadOnlyList<AttackKind> kinds, AttackersPriority priority)
        : base(
            "Broker.HostileRun.dll",
            [Command, files.EndpointsFile, KindsOption, string.Join(',', kinds.Select(kind => kind.Name))],
            new Dictionary<string, string>(),
            hasLowestPriority: priority == AttackersPriority.Lowest)
    {
    }

    /// <summary>The number of attacks of each kind.</summary>
    public IReadOnlyDictionary<string, long> Counts
    {
        get
        {
            lock (_counts)
            {
                return new Dictionary<string, long>(_counts);
            }
        }
    }

    public void ThrowIfEnded()
    {
        if (Process.HasExited)
        {
            throw new RunException($"The attackers' process has ended with code {Process.ExitCode}. {LastLines}");
        }
    }

    /// <summary>Stops the attacks and waits for the last counts.</summary>
    public async Task EndAsync()
    {
        Process.StandardInput.Close();
        using var limit = new CancellationTokenSource(EndLimit);
        try
        {
            await Process.WaitForExitAsync(limit.Token);
        }
        catch (OperationCanceledException)
        {
            throw new RunException($"The attackers' process did not end. {LastLines}");
        }
    }

    protected override void OnLine(string? line)
    {
        if (line is null)
        {
            return;
        }

        lock (_counts)
        {
            foreach (string[] pair in line.Split(' ').Select(word => word.Split('=')))
            {
                if (pair.Length == 2)
                {
                    _counts[pair[0]] = long.Parse(pair[1], CultureInfo.InvariantCulture);
                }
            }
        }
    }
}
