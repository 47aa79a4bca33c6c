using System.Globalization;
using Broker.Client;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>The state that the two ends of a link keep after a long disconnect.</summary>
public sealed class CreditOutageTests
{
    private const int LongerThanRemembered = 1000;

    private static readonly PipelineLimits Small = new() { Window = 8, WindowBytes = 1000, MostSilentTicks = 2 };

    private readonly SimulatedNats _nats = new(1);

    [Fact]
    public void An_egress_forgets_no_ingress_while_there_is_no_server()
    {
        var ingress = new SimulatedIngress(_nats, "i", Small);
        var egress = new SimulatedEgress(_nats, "e", Small);
        AcceptAndLoseTheAcknowledgement(ingress, egress);
        _nats.Lose();
        for (int tick = 0; tick < LongerThanRemembered; tick++)
        {
            egress.Egress.Tick();
            ingress.Ingress.Tick();
        }

        _nats.Recover();
        Run(egress);
        Assert.Equal(["0", "1", "2", "3", "4"], egress.Taken);
        Assert.Equal((5, 0, 0), (ingress.Ingress.Counters.Acknowledged, ingress.Ingress.Counters.Resent, ingress.Ingress.Counters.PossibleDuplicates));
    }

    [Fact]
    public void What_an_egress_may_have_taken_before_it_forgot_an_ingress_that_was_cut_off_counts_as_possible_duplicates()
    {
        var ingress = new SimulatedIngress(_nats, "i", Small);
        var egress = new SimulatedEgress(_nats, "e", Small);
        AcceptAndLoseTheAcknowledgement(ingress, egress);
        ingress.Participant.IsCutOff = true;
        for (int tick = 0; tick < LongerThanRemembered; tick++)
        {
            egress.Egress.Tick();
            ingress.Ingress.Tick();
            Run(egress);
        }

        Assert.Equal(0, egress.Egress.Links);
        ingress.Participant.IsCutOff = false;
        ingress.Ingress.OnConnected();
        Run(egress);
        egress.Egress.Tick();
        Run(egress);
        Assert.Equal(["0", "1", "2", "3", "4", "0", "1", "2", "3", "4"], egress.Taken);
        Assert.Equal((5, 5), (ingress.Ingress.Counters.PossibleDuplicates, egress.Egress.Counters.PossibleDuplicates));
        Assert.Equal(0, ingress.Ingress.Counters.InFlight);
        Assert.Equal(1, egress.Egress.Links);
    }

    [Fact]
    public void An_egress_that_acknowledges_less_than_before_receives_the_end_of_the_link_and_delivers_no_more_of_it()
    {
        var ingress = new SimulatedIngress(_nats, "i", Small);
        var egress = new SimulatedEgress(_nats, "e", Small) { Room = 1 };
        Run(egress);
        Accept(ingress, 3);
        Run(egress);
        ingress.Ingress.OnAcknowledgement(ingress.LinkNumber, "NATS/1.0\r\nZmq-Egress: e\r\nZmq-Ack: 0\r\n\r\n"u8);
        Run(egress);
        Assert.Equal((0, 0), (egress.Egress.Waiting, egress.Egress.Links));
        egress.Room = 10;
        egress.Egress.Drain();
        egress.Egress.Tick();
        Run(egress);
        Assert.Equal(["0", "1", "2"], egress.Taken);
    }

    [Theory]
    [InlineData(PublishStatus.HeadersNotSupported)]
    [InlineData(PublishStatus.SubjectTooLong)]
    public void A_server_that_supports_no_headers_is_logged_and_the_next_server_receives_all_messages(PublishStatus refusal)
    {
        var ingress = new SimulatedIngress(_nats, "i", Small);
        var egress = new SimulatedEgress(_nats, "e", Small);
        Run(egress);
        List<PublishStatus> told = [];
        ingress.Ingress.OnUnsendable = told.Add;
        ingress.Participant.Refusal = refusal;
        Accept(ingress, 1);
        Assert.False(ingress.TryAccept("1"));
        Assert.Equal([refusal], told);

        ingress.Participant.Refusal = null;
        ingress.Ingress.OnConnected();
        Run(egress);
        Assert.Equal(["0"], egress.Taken);
    }

    // PUSH took each message, but the ingress has not received the acknowledgements.
    private void AcceptAndLoseTheAcknowledgement(SimulatedIngress ingress, SimulatedEgress egress)
    {
        Run(egress);
        Accept(ingress, 5);
        while (_nats.Step())
        {
            egress.Participant.Sent.Clear();
        }

        Assert.Equal((5, 0), (egress.Taken.Count, ingress.Ingress.Counters.Acknowledged));
        egress.Egress.Flush();
        egress.Participant.Sent.Clear();
    }

    private static void Accept(SimulatedIngress ingress, int messages)
    {
        for (int number = 0; number < messages; number++)
        {
            Assert.True(ingress.TryAccept(number.ToString(CultureInfo.InvariantCulture)));
        }
    }

    private void Run(SimulatedEgress egress)
    {
        do
        {
            egress.Flush();
        }
        while (_nats.Step());
    }
}
