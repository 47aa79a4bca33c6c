using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows.Growth;

/// <summary>A row that takes long to prepare. It is prepared once and measured several times.</summary>
internal abstract class StagedRow(string name, string what) : Row(name, what)
{
    public abstract IStage Prepare(Target target);

    public sealed override Measurement Measure(Target target, long messages)
    {
        using IStage stage = Prepare(target);
        return stage.Measure(messages);
    }

    public sealed override void Verify(Target target)
    {
        using IStage stage = Prepare(target);
        stage.Verify();
    }
}
