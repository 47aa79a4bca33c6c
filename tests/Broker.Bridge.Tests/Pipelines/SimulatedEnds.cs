using System.Globalization;
using System.Text;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>An ingress in a simulated NATS system.</summary>
internal sealed class SimulatedIngress
{
    private readonly SimulatedNats.Participant _participant;

    internal SimulatedIngress(SimulatedNats nats, string name, PipelineLimits limits)
    {
        var subjects = new PipelineSubjects("work");
        _participant = nats.Join(name);
        Ingress = new Ingress<SimulatedNats.Wire>(subjects, name, _participant.Wire, Pool, limits) { OnRoom = () => Rooms++ };
        _participant.Subscribe(subjects.Egresses, (_, headers, _) => Ingress.OnAnnouncement(headers));
        _participant.Subscribe(
            subjects.In(name),
            (subject, headers, _) => Ingress.OnAcknowledgement(
                long.Parse(subject[(subject.LastIndexOf('.') + 1)..], CultureInfo.InvariantCulture), headers));
        _participant.OnConnected = Ingress.OnConnected;
        Ingress.OnConnected();
    }

    internal Ingress<SimulatedNats.Wire> Ingress { get; }

    internal PipelineMemoryPool Pool { get; } = new();

    internal SimulatedNats.Participant Participant => _participant;

    /// <summary>The number of the link that the ingress last sent anything to.</summary>
    internal long LinkNumber
    {
        get
        {
            string headers = Encoding.ASCII.GetString(_participant.LastHeaders);
            int start = headers.LastIndexOf('.', headers.IndexOf("\r\n", headers.IndexOf("Zmq-Ingress", StringComparison.Ordinal), StringComparison.Ordinal)) + 1;
            return long.Parse(headers[start..headers.IndexOf('\r', start)], CultureInfo.InvariantCulture);
        }
    }

    internal int Rooms { get; private set; }

    internal bool TryAccept(string message) => Ingress.TryAccept(Encoding.ASCII.GetBytes(message), 1);
}

/// <summary>An egress in a simulated NATS system, with a PUSH that takes messages while it is open.</summary>
internal sealed class SimulatedEgress
{
    private readonly SimulatedNats.Participant _participant;

    internal SimulatedEgress(SimulatedNats nats, string name, PipelineLimits limits)
    {
        var subjects = new PipelineSubjects("work");
        _participant = nats.Join(name);
        Egress = new Egress<SimulatedNats.Wire, Push>(subjects, name, _participant.Wire, new Push(this), Pool, limits)
        {
            OnFlushWanted = () => IsFlushWanted = true,
        };
        _participant.Subscribe(subjects.Out(name), (_, headers, body) => Egress.OnMessage(headers, body));
        _participant.Subscribe(subjects.Ingresses, (_, _, _) => Egress.Announce());
        _participant.OnConnected = Egress.Announce;
        Egress.Open();
    }

    internal Egress<SimulatedNats.Wire, Push> Egress { get; }

    internal PipelineMemoryPool Pool { get; } = new();

    internal SimulatedNats.Participant Participant => _participant;

    internal List<string> Taken { get; } = [];

    internal bool IsFlushWanted { get; set; }

    /// <summary>How many messages PUSH can still take.</summary>
    internal int Room { get; set; } = int.MaxValue;

    internal void Flush()
    {
        IsFlushWanted = false;
        Egress.Flush();
    }

    internal readonly struct Push(SimulatedEgress owner) : IPipelineSink
    {
        public bool TryTake(ReadOnlySpan<byte> body, int frames)
        {
            if (owner.Room <= 0)
            {
                return false;
            }

            owner.Room--;
            owner.Taken.Add(Encoding.ASCII.GetString(body));
            return true;
        }
    }
}
