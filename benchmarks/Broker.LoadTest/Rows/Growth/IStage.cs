namespace Broker.LoadTest.Rows.Growth;

/// <summary>A server that is prepared for a row.</summary>
internal interface IStage : IDisposable
{
    /// <inheritdoc cref="Row.Measure"/>
    Measurement Measure(long messages);

    /// <inheritdoc cref="Row.Verify"/>
    void Verify();
}
