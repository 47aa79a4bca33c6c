using System.Diagnostics;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows;

/// <summary>One connection publishes without subscribers. The clock stops at the PONG after the last message.</summary>
internal sealed class PublishOnly(string name, string what, string subject, byte[] payload) : Row(name, what)
{
    private readonly FrameBlock _block = new(Frames.Publish(subject, payload));

    public override double NominalNanoseconds => 100 + (payload.Length / 5.0);

    public override Measurement Measure(Target target, long messages)
    {
        using Session session = target.OpenSession();
        RawConnection connection = session.Dial();
        target.Cpu.Start();
        long from = Stopwatch.GetTimestamp();
        _block.Send(connection, messages);
        connection.Fence();
        long to = Stopwatch.GetTimestamp();
        return target.Finish(messages, from, to);
    }

    public override void Verify(Target target)
        => new Verification(new Topology { Subject = subject, PayloadSize = payload.Length }).Run(target);
}
