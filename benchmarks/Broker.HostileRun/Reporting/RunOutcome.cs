using Broker.HostileRun.Site;

namespace Broker.HostileRun.Reporting;

/// <summary>The result of a run.</summary>
internal sealed class RunOutcome
{
    /// <summary>The time during which the attackers attacked.</summary>
    public TimeSpan Attacked { get; set; }

    /// <summary>The number of attacks of each kind.</summary>
    public IReadOnlyDictionary<string, long> Attacks { get; set; } = new Dictionary<string, long>();

    public List<HonestResult> Honest { get; } = [];

    /// <summary>
    /// The resident memory of the broker in bytes, for each whole minute: the median of its second half.
    /// </summary>
    public List<long> Minutes { get; } = [];

    /// <summary>The highest resident memory in bytes.</summary>
    public long MostResident { get; set; }

    /// <summary>The processor times of the broker while attackers attacked.</summary>
    public ProcessorTimes Broker { get; set; }

    /// <summary>The processor times of the honest clients while attackers attacked.</summary>
    public ProcessorTimes HonestClients { get; set; }

    /// <summary>The processor times of the attackers.</summary>
    public ProcessorTimes Attackers { get; set; }

    /// <summary>The load of the machine at the end, if the system tells it.</summary>
    public string Load { get; set; } = "";

    /// <summary>Why the run could not be completed; null if it was.</summary>
    public string? Ended { get; set; }
}
