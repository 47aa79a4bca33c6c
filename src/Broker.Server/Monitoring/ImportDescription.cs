namespace Broker.Server;

/// <summary>The description of one import of an account. Immutable.</summary>
/// <param name="IsService">True for the import of a service; false for the import of a stream.</param>
/// <param name="Account">The name of the exporting account.</param>
/// <param name="Subject">The subject or filter in the exporting account.</param>
/// <param name="LocalSubject">The filter in the importing account.</param>
public sealed record ImportDescription(bool IsService, string Account, string Subject, string LocalSubject)
{
    /// <inheritdoc cref="ServiceImport.Share"/>
    public bool Share { get; init; }
}
